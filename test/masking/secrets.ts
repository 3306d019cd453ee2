/** Synthetic secrets, one for each place, so that a leak shows its origin. */
export const PLANTED = {
  alert: 'Syn7hetic-alert-9',
  runbook: 'Syn7hetic-runbook-9',
  output: 'Syn7hetic-output-9',
  longOutput: 'Syn7hetic-long-output-9',
  data: Buffer.from('synthetic data of a Secret').toString('base64'),
  toolError: 'Syn7hetic-tool-error-9',
  protocolError: 'Syn7hetic-protocol-error-9',
  startError: 'Syn7hetic-start-error-9',
  serverLog: 'Syn7hetic-server-log-9',
  toolArguments: 'Syn7hetic-arguments-9',
  reactArguments: 'Syn7hetic-react-arguments-9',
  brokenArguments: 'Syn7hetic-broken-arguments-9',
  providerError: 'sk-Syn7heticProviderError99',
  chat: 'Syn7hetic-chat-9',
} as const;
