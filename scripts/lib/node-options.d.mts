export function nodeOptions(given?: string): string[];
