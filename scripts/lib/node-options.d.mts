export function nodeOptions(given?: string): string[];
export const NODE_ENVIRONMENT: Readonly<Record<string, string>>;
