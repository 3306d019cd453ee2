export interface CostFigures {
  readonly usd: number;
  readonly unpricedCalls: number;
}

/** Formats USD with the digits needed: `$0`, `< $0.0001`, `$0.0042`, `$0.35`, `$12.40`, `$1,204`. */
export function formatUsd(usd: number): string {
  if (usd === 0) return '$0';
  if (usd < 0.0001) return '< $0.0001';
  if (usd < 0.1) return `$${Number(usd.toPrecision(2))}`;
  if (usd < 999.5) return `$${usd.toFixed(2)}`;
  return `$${Math.round(usd).toLocaleString('en')}`;
}

/** Formats a cost that may be partly unknown: `unknown`, `$0.35 + ?`. */
export function formatCost({ usd, unpricedCalls }: CostFigures): string {
  if (unpricedCalls === 0) return formatUsd(usd);
  return usd === 0 ? 'unknown' : `${formatUsd(usd)} + ?`;
}

/** Returns a text about the calls without a known price; null if all prices are known. */
export function unpricedText({ unpricedCalls }: CostFigures): string | null {
  if (unpricedCalls === 0) return null;
  return unpricedCalls === 1
    ? 'Price unknown for 1 call'
    : `Price unknown for ${unpricedCalls.toLocaleString('en')} calls`;
}
