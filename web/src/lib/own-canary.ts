/** Name of the source through which the server sends alerts to itself: nobody sets it up. */
export const OWN_CANARY = 'canary';
