import { type CostFigures, formatCost, unpricedText } from '../lib/cost.ts';

/** The cost of model calls. */
export function CostText({ cost }: { cost: CostFigures }) {
  return <span title={unpricedText(cost) ?? undefined}>{formatCost(cost)}</span>;
}
