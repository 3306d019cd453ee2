/** Names of the built-in masking patterns; src/masking defines what they match. */
export const MASKING_PATTERNS = [
  'api_key',
  'password',
  'certificate',
  'certificate_authority_data',
  'token',
  'email',
  'ssh_key',
  'base64_secret',
  'base64_short',
  'private_key',
  'secret_key',
  'aws_access_key',
  'aws_secret_key',
  'github_token',
  'slack_token',
  'kubernetes_secret',
] as const;
export type MaskingPattern = (typeof MASKING_PATTERNS)[number];

export const MASKING_GROUPS = ['basic', 'secrets', 'security', 'kubernetes', 'cloud', 'all'] as const;
export type MaskingGroup = (typeof MASKING_GROUPS)[number];

export const MASKING_GROUP_PATTERNS: Readonly<Record<MaskingGroup, readonly MaskingPattern[]>> = {
  basic: ['api_key', 'password'],
  secrets: ['api_key', 'password', 'token', 'private_key', 'secret_key'],
  security: [
    'api_key',
    'password',
    'token',
    'aws_access_key',
    'certificate',
    'certificate_authority_data',
    'email',
    'ssh_key',
  ],
  kubernetes: ['kubernetes_secret', 'api_key', 'password', 'certificate_authority_data'],
  cloud: ['aws_access_key', 'aws_secret_key', 'api_key', 'token'],
  all: MASKING_PATTERNS,
};
