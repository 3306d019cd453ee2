import type { CommandHelp } from '../../src/common/command-help.ts';

export const DEPLOY = {
  command: 'npm run deploy',
  summary: 'Deploys TARSy into a cluster and tests the result',
  usage: ['[options] kubernetes|openshift|FOLDER'],
  details: [
    'Renders the overlay, makes its Secrets from the environment, applies both with kubectl (openshift: oc), waits until the pods run, and asks the service from inside and outside of the cluster. FOLDER is an overlay of your own.',
  ],
  options: {
    'dry-run': { meaning: 'show what the cluster would do; nothing is changed' },
    timeout: {
      value: 'SECONDS',
      meaning: 'time limit for the pods, and then for the dashboard (default: 300)',
    },
    'no-outside': { meaning: 'do not ask the dashboard from here, where it cannot be reached' },
  },
  environment: {
    KUBECTL: 'command for the cluster',
    TARSY_DASHBOARD_URL:
      'address of the dashboard; docs/how-to/install/kubernetes.md names the other variables',
  },
  exits: { 0: 'done', 1: 'not done; the message says why', 2: 'wrong usage' },
  examples: ['npm run deploy -- --dry-run kubernetes'],
} as const satisfies CommandHelp;
