/** Synthetic secrets, each for one place, so that a leak tells where it came from. */
export const PLANTED = {
  alert: 'Syn7hetic-alert-9',
  output: 'Syn7hetic-output-9',
  data: Buffer.from('synthetic data of a Secret').toString('base64'),
  toolError: 'Syn7hetic-tool-error-9',
  protocolError: 'Syn7hetic-protocol-error-9',
  startError: 'Syn7hetic-start-error-9',
} as const;
