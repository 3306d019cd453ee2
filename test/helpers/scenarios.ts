import { join } from 'node:path';
import { ROOT } from '../../scripts/lib/dev-python.ts';
import { type CaseDocument, caseDocument } from '../../src/cases/document.ts';
import { findCaseFolders, readCaseFolder } from '../../src/cases/folder.ts';

export const SCENARIOS = join(ROOT, 'deploy/scenarios');

/** Reads the scenarios that ship with the program, with their healthy twins. */
export async function shippedScenarios(): Promise<CaseDocument[]> {
  return Promise.all((await findCaseFolders(SCENARIOS)).map(readCaseFolder));
}

export const isHealthy = ({ name }: { name: string }): boolean => name.endsWith('-healthy');

/** Other names for what the scenarios name, as whole words. */
const NAMES: Record<string, string> = {
  ...{ checkout: 'basket', recommender: 'forecaster', ml: 'science', cart: 'wishlist', coredns: 'kube-dns' },
  ...{
    'db-1': 'pg-main-4',
    postgresql: 'pg-primary',
    'api.example.com': 'login.example.org',
    edge: 'border',
  },
  ...{ orders: 'bookings', order_items: 'booking_lines', payments: 'transfers', billing: 'treasury' },
  ...{
    'report-builder': 'video-encoder',
    query: 'finder',
    inventory: 'warehouse',
    'stock-sync': 'price-feed',
  },
  ...{
    'build-7': 'ci-22',
    'mail-exporter': 'smtp-exporter',
    'outbound-mail': 'bulk-letters',
    shop: 'market',
  },
  ...{ auth: 'identity', gateway: 'ingress-proxy', search: 'lookups', 'worker-3': 'node-b17' },
};

/** Other figures and limits, on the same side of each other. Figures have the same width, so that columns stay in line. */
const FIGURES: Record<string, string> = {
  ...{ 'above 5%': 'above 3 percent', 'above 2%': 'above 1.5%', 'above 90%': 'above 85 %' },
  ...{ 'above 800 ms': 'above 0.6 s', 'above 500 ms': 'above 400 ms', 'above 5000': 'above 900' },
  ...{ '41.3 %': '12.8 %', '18.7 %': '16.1 %', '36.0 %': '19.9 %', '22.4 %': '18.0 %', '34 %': '11 %' },
  ...{ '2.9 s': '1.4 s', '1.9 s': '1.2 s', '97%': '94%', '388.1 GiB': '376.0 GiB', '98%': '93%' },
  ...{ '7412m': '5230m', ' 171': ' 122', '61204': '18310', '5 (2m ago)': '9 (3m ago)', '212.4': '181.9' },
};

/** Returns a scenario with other names and figures, which no rule was written for. */
export function neighbourOf(document: CaseDocument): CaseDocument {
  const words = new RegExp(
    `(?<![\\w.-])(?:${Object.keys(NAMES).sort(longestFirst).map(escaped).join('|')})(?![\\w])`,
    'g',
  );
  const figures = new RegExp(Object.keys(FIGURES).sort(longestFirst).map(escaped).join('|'), 'g');
  const { tools, mcp_selection, expect, ...rest } = document;
  const renamed = <T>(part: T): T => {
    const renamedText = (_key: string, value: unknown) =>
      typeof value === 'string'
        ? value.replace(words, (word) => NAMES[word]!).replace(figures, (figure) => FIGURES[figure]!)
        : value;
    return JSON.parse(JSON.stringify(part, renamedText)) as T;
  };
  const { cause, causes, ...checks } = expect;
  const changed = {
    ...renamed({ ...rest, expect: checks }),
    tools,
    mcp_selection,
    name: `neighbour-${document.name}`,
  };
  return caseDocument.parse({ ...changed, expect: { ...changed.expect, cause, causes } });
}

const longestFirst = (a: string, b: string) => b.length - a.length;
const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
