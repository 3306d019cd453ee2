import type { MaskingPattern } from '../config/masking-names.ts';

/** The kind of secret that a field's name announces, with the rules for the field's value. */
export interface FieldName {
  /** Patterns that mask the field, most specific first; the first enabled one sets the placeholder. */
  patterns: readonly MaskingPattern[];
  minLength: number;
  /** Minimum length (characters) in a setting such as `token: …`; absent if an object's name is as likely there. */
  minAsSetting?: number;
  /**
   * True if a setting with this name may contain the name of a secret's object (`db-creds-2024`) instead of
   * the secret.
   */
  mayReferTo?: boolean;
  /** True if fields with this name never contain an object's name instead of the secret. */
  isNeverName?: boolean;
  /** True if one short lower-case word, perhaps with digits, is an object's name in fields with this name. */
  mayBeLabel?: boolean;
  /** True if fields with this name contain `user:password` in base64. */
  mayBeLogin?: boolean;
  /** True if fields with this name often contain a count, as in `pass: 12, fail: 3`. */
  mayBeCount?: boolean;
  /** True if only a generated value counts as a secret, because many harmless names are of the same class. */
  mustBeGenerated?: boolean;
  /** True if the name is in the plural, so that only the entries of a list after the name are secrets. */
  plural: boolean;
}

type Rule = Omit<FieldName, 'plural'>;

const OF_KEY = { patterns: ['secret_key', 'api_key'] } as const;
const OF_PRIVATE_KEY = { patterns: ['private_key', 'secret_key', 'api_key'], minLength: 16 } as const;
const OF_TOKEN = { patterns: ['token', 'api_key'] } as const;

/** The words with which secrets' names end, and the rule for each kind of secret. */
const RULES: readonly (readonly [tails: string, rule: Rule])[] = [
  [
    'certificate authority data, client certificate data, client key data, ca data',
    { patterns: ['certificate_authority_data'], minLength: 20, minAsSetting: 4, isNeverName: true },
  ],
  [
    'aws secret access key, aws secret key, secret access key',
    {
      patterns: ['aws_secret_key', 'secret_key', 'api_key'],
      minLength: 16,
      minAsSetting: 4,
      isNeverName: true,
    },
  ],
  [
    'github token, gh token, github pat, github access token',
    { patterns: ['github_token', 'token', 'api_key'], minLength: 8, minAsSetting: 3 },
  ],
  [
    'slack token, slack bot token, slack app token',
    { patterns: ['slack_token', 'token', 'api_key'], minLength: 8, minAsSetting: 3 },
  ],
  ['private key, privatekey, privkey', { ...OF_PRIVATE_KEY, minAsSetting: 4, mayReferTo: true }],
  ['tls key, rsa key, ssh key, server key, secret id, sig, instrumentation key, keys base64', OF_PRIVATE_KEY],
  ['secret key, secretkey', { ...OF_KEY, minLength: 6 }],
  [
    'secret key base, client secret, clientsecret, shared secret, app secret, consumer secret, ' +
      'webhook secret, signing key, signing secret, jwt secret, routing key, amz signature, ' +
      'goog signature, preshared key, pre shared key, psk, encrypt key, certificate key, ' +
      'security credentials, symm key, encryption key, master key, session secret, ' +
      'cookie secret, hmac key, hmac secret, shared access key, account key, storage key, ' +
      'unseal key, crypt key, api secret, auth secret',
    { ...OF_KEY, minLength: 8, minAsSetting: 3, mayReferTo: true },
  ],
  [
    'api key, apikey, app key, access key, subscription key, auth key, service key, ' +
      'license key, integration key, ingest key, functions key, write key, application key',
    { patterns: ['api_key'], minLength: 8, minAsSetting: 4 },
  ],
  ['token, jwt, bearer, authtoken, authtok, accesstoken', { ...OF_TOKEN, minLength: 8, minAsSetting: 3 }],
  ['authorization, cookie', { ...OF_TOKEN, minLength: 12 }],
  ['credential, credentials', { ...OF_TOKEN, minLength: 6 }],
  [
    'password, passwd, passphrase, pass phrase, passcode, pwd, db pass, user pass, admin pass, passwort, clear text, ' +
      'pw, bindpw, requirepass, masterauth, storepass, keypass',
    { patterns: ['password'], minLength: 2, isNeverName: true },
  ],
  ['pass', { patterns: ['password'], minLength: 6, isNeverName: true, mayBeCount: true }],
  ['auth', { patterns: ['password', 'token'], minLength: 12, mayBeLogin: true }],
  ['secret', { ...OF_KEY, minLength: 8, mayBeLabel: true }],
];

/**
 * Words that may follow a secret's name without changing its meaning: `password_hash`, `DB_PASSWORD_PROD`.
 */
const SUFFIXES = new Set(
  'hash value b64 base64 sha256 sha1 md5 hex bcrypt plain plaintext text raw encrypted enc old new current previous prod production dev staging test main primary default confirm confirmation again string'.split(
    ' ',
  ),
);

/** Words before `token` that make it a page cursor instead of a secret. */
const PAGE_WORDS = new Set(
  'idempotency dedup page next continuation continue sync cursor pagination resume prev nextpage start'.split(
    ' ',
  ),
);

/** Matches a secret's word at the end of a joined name: PGPASSWORD, dbpass, APISECRET, accesskey. */
const JOINED =
  /^([a-z]{1,24})(password|passwd|passphrase|apikey|authtoken|accesstoken|secretkey|privatekey|pass|pwd|pw|secret|token|key|credentials?|creds)$/;
/** Joined beginnings that make an ordinary word, as in bypass, compass or monkey. */
const ORDINARY_WORDS =
  /^(?:by|com|encom|tres|sur|over|under|im|mon|tur|hoc|jour|whis|don|hot|k|bit|mal|doc|jo)$/;

/** Words before `key` that make it a name or an identifier instead of a secret. */
const HARMLESS_KEYS = new Set(
  'partition cache idempotency dedup deduplication object s3 sort foreign public pub host row group message map range lookup registry index unique composite shard event lock context tag label issue project metric field column order entity topic answer question translation i18n document parent ssh-host natural surrogate candidate join storage-path known'.split(
    ' ',
  ),
);
/** Rule for names of the class key, secret, token or credential that have no rule of their own. */
const BY_CLASS: Rule = { patterns: ['secret_key', 'api_key'], minLength: 16, mustBeGenerated: true };
const CLASS = /^(?:key|secret|token|creds?|credentials?)$/;

/**
 * Names with the rule BY_CLASS: numbered keys, session ids, and logins and applications whose value may be a
 * key.
 */
const NUMBERED =
  'key1, key2, primary key, secondary key, sid, sessid, jsessionid, phpsessid, appid, login, encrypt';

const BY_TAIL = new Map(
  [...RULES, [NUMBERED, BY_CLASS] as const].flatMap(([tails, rule]) =>
    tails.split(', ').map((tail) => [tail, rule] as const),
  ),
);
const LONGEST_TAIL_WORDS = 4;

/** Returns the words of an identifier in lower case: `spring.dataSource-URL_2` → spring, data, source, url, 2. */
function wordsOf(identifier: string): string[] {
  return identifier
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

export function fieldName(identifier: string): FieldName | null {
  const words = wordsOf(identifier);
  const whole = ruleFor(words);
  if (whole) return { ...whole, plural: false };
  while (words.length > 1 && (SUFFIXES.has(words.at(-1)!) || /^\d+$/.test(words.at(-1)!))) words.pop();
  const last = words.at(-1)?.replace(/\d+$/, '') ?? '';
  if (last === '') return null;
  words[words.length - 1] = last;
  const rule = ruleFor(words);
  if (rule) return { ...rule, plural: false };
  const singular = last.endsWith('s') ? ruleFor([...words.slice(0, -1), last.slice(0, -1)]) : null;
  return singular ? { ...singular, plural: true } : null;
}

function ruleFor(words: readonly string[]): Rule | null {
  for (let count = Math.min(LONGEST_TAIL_WORDS, words.length); count > 0; count--) {
    const rule = BY_TAIL.get(words.slice(-count).join(' '));
    if (!rule) continue;
    return words.at(-1) === 'token' && PAGE_WORDS.has(words.at(-2) ?? '') ? null : rule;
  }
  const [before, last = ''] = [words.at(-2) ?? '', words.at(-1)];
  const [, joined = '', tail = ''] = JOINED.exec(last) ?? [];
  if (tail !== '' && !ORDINARY_WORDS.test(joined)) {
    const rule = BY_TAIL.get(tail);
    if ((tail === 'key' && HARMLESS_KEYS.has(joined)) || PAGE_WORDS.has(joined)) return null;
    return rule && (rule.isNeverName || tail === 'token' || tail.length > 6) ? rule : BY_CLASS;
  }
  return CLASS.test(last) && before !== '' && !(last === 'key' && HARMLESS_KEYS.has(before))
    ? BY_CLASS
    : null;
}
