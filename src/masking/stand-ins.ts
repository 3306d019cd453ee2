/** Values that describe a secret instead of being one, in lower case. */
const WORDS = new Set(
  [
    'null nil none undefined true false yes no on off n/a na unset empty missing required optional hidden invalid',
    'redacted masked removed omitted secret unknown default disabled enabled present absent set not-set string str',
    'text bool boolean int integer number object any bytes varchar char secretstr string! opaque bearer basic',
    'expired incorrect wrong rejected accepted failed ok success changed unchanged ~ - --- ... eof',
    'active inactive used unused allowed denied granted forbidden valid pending revoked rotated local auto manual',
    'oauth oauth2 oidc saml ldap jwt rbac strict lax header query kubernetes projected validated verified generated',
    'read write via password passwd token key apikey api_key credentials example placeholder changeme-not-set authentication',
  ].flatMap((line) => line.split(' ')),
);

/** Joins expressions into one, which is faster than testing each. */
const anyOf = (flags: string, patterns: readonly RegExp[]) =>
  new RegExp(patterns.map(({ source }) => source).join('|'), flags);

const STAND_INS = anyOf('', [
  /^[*•xX.#?_-]+$/,
  /^<[^<>]*>?$/,
  /^\$(?:\{[^}]*\}?|\([^)]*\)?|[A-Za-z_]\w*|\d)$/,
  /^\{\{.*$/,
  /^[%#]\{?\(?[A-Za-z_.]*\}?\)?[svdq]?$/,
  /^(?:process\.env|os\.environ|os\.getenv|getenv|env|System\.getenv|ENV)[.[(]/,
  /^\S{0,12}\*{5,}\S{0,4}$/,
  /^\$ANSIBLE_VAULT;/,
  /^\d+ bytes$/,
  /^\((?:known|sensitive)(?: after apply| value)?\)?$/,
  /^\$\{\{.*$/,
  /^VALUE_SPECIFIED_IN_NO_LOG_PARAMETER$/,
  // A cookie without a value, a .NET type, a credential loaded from a file (`id:/path`, `prefix.*`).
  /^[\w-]{1,40}=;.*$/,
  /^(?:[A-Z][A-Za-z]*\.){2,}[A-Z][A-Za-z]*$/,
  /^[\w.@-]{1,60}(?::\/[\w./@-]+|\.\*)$/,
  /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*_(?:TOKEN|KEY|PASSWORD|PASS|PWD|SECRET)$/,
]);

const STAND_INS_OF_ANY_CASE = anyOf('i', [
  /^<(?:set to|none|no|unset|redacted|nil|hidden)\b/,
  /^[([]?(?:redacted|filtered|masked|hidden|removed|sensitive|encrypted)\b.{0,40}$/,
  /^(?:secretkeyref|configmapkeyref|valuefrom|fieldref)\b/,
  /^(?:arn:aws[\w-]*:|projects\/[\w-]+\/secrets\/|op:\/\/|vault:|ref\+|file:|env:|azurekeyvault|@microsoft\.keyvault\(|gcpsm|awssm|ssm:|keyring:)/,
  /^your[-_ ]?[\w-]*$/,
  /^(?:sha256|sha1|sha512|md5):[0-9a-f]+$/,
]);
const UNPROTECTED_URL = /^https?:\/\/[^\s@?]*(?:\?[^\s@]*)?$/i;
const KNOWN_ROOT =
  /^(?:\/(?:etc|var|run|usr|home|opt|mnt|tmp|root|srv|data|secrets?|vault|proc|dev|app|apps|config|certs?|credentials?|workspace|workspaces|bin|lib|sys|boot|media|Users|keys|ssl|tls|pki|token|tokens)(?:\/[\w.@+-]*)*|[A-Za-z]:\\[\w.\\ -]+|(?:\.{1,2}|~)(?:\/[\w.@+-]+)+)$/;

/** True if a value describes a secret or its location instead of being one. Slow for very long values. */
export function isStandIn(value: string): boolean {
  return (
    WORDS.has(value.toLowerCase().replace(/[,;.:)>]$/, '')) ||
    STAND_INS.test(value) ||
    STAND_INS_OF_ANY_CASE.test(value) ||
    KNOWN_ROOT.test(value) ||
    UNPROTECTED_URL.test(value)
  );
}
