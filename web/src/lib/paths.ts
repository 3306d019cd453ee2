/** Addresses of the pages of single things; ids are the API's. */
export const sessionPath = (id: string): string => `/sessions/${encodeURIComponent(id)}`;
export const groupPath = (id: string): string => `/alerts/${encodeURIComponent(id)}`;
