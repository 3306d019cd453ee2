/** Name of the built-in source through which the server sends alerts to itself. */
export const OWN_CANARY = 'canary';
