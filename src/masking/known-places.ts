import { fieldName } from './field-names.ts';
import { findKnown, type KnownSecret } from './find-known.ts';
import { isGenerated } from './generated.ts';
import type { Mask } from './masks.ts';
import { isStandIn } from './stand-ins.ts';

export const PASSWORD_NEEDLE = /passw|passp|passc/i;
export const PASSWORD_NEEDLE_SHORT = /pass[\w]{0,6} |SecureString\s/i;

/** Matches an argument of a command, quoted or not; a group contains the argument without quotes. */
const WORD = `(?:"([^"\\n]{1,200})"|'([^'\\n]{1,200})'|((?:[^\\s"'\\\\]|\\\\(?![nrtu"'\\\\])){2,200}))`;
/** Matches the text between a command's name and its flag. */
const GAP = '[^\\n|;]{0,200}?(?<=[ \\t]["\']?)';
const BLANKS = '[ \\t]{1,9}';

/** Common commands with a secret argument: patterns for the command and for the text between it and the secret. */
const COMMANDS: readonly (readonly [command: string, before: string])[] = [
  ['(?:mysql|mariadb)(?:admin|dump|sh|check|import)?', `${GAP}-p`],
  ['mongo(?:sh|dump|restore|export|import|stat|top)?', `${GAP}-p${BLANKS}`],
  [
    '(?:docker|podman|nerdctl|skopeo|buildah|crane|oras|helm registry|az|az acr|oc)[ \\t]+login',
    `${GAP}-p${BLANKS}`,
  ],
  [
    '(?:cqlsh|twine|rdesktop|psexec|wmic|nuget|cypher-shell|rabbitmqadmin|choco|winrs)',
    `${GAP}-p[=: \\t]{1,9}`,
  ],
  ['redis-cli', `${GAP}(?:-a|--pass)${BLANKS}`],
  ['ldap(?:search|modify|add|delete|passwd|whoami|compare|modrdn)', `${GAP}-[ws]${BLANKS}`],
  ['ldappasswd', `${GAP}-s${BLANKS}`],
  ['kadmin(?:\\.local)?', `${GAP}-w${BLANKS}`],
  ['(?:addprinc|cpw|change_password)', `${GAP}-pw${BLANKS}`],
  ['htpasswd', `${BLANKS}-[a-zA-Z]{0,4}b[a-zA-Z]{0,4}${BLANKS}\\S{1,200}${BLANKS}\\S{1,100}${BLANKS}`],
  ['sshpass', `${BLANKS}-p[ \\t]{0,5}`],
  ['(?:smbclient|rpcclient|net rpc)', `${GAP}-U${BLANKS}[^\\s%]{1,100}%`],
  ['openssl', `${GAP}-(?:k|K)${BLANKS}`],
  ['(?:7z|7za|7zz|rar|unrar)', `${GAP}-p`],
  ['(?:zip|unzip|ipmitool|sqlcmd|bcp|mosquitto_\\w{3}|ssh-keygen)', `${GAP}-P${BLANKS}`],
  ['ssh-keygen', `${GAP}-N${BLANKS}`],
  ['influx', `${GAP}-t${BLANKS}`],
  ['net use', `${BLANKS}\\S{1,60}${BLANKS}\\\\\\\\\\S{1,200}${BLANKS}(?!/)`],
  ['poetry config', `${BLANKS}http-basic\\S{1,100}${BLANKS}\\S{1,100}${BLANKS}`],
  ['mc alias set', `${BLANKS}\\S{1,100}${BLANKS}\\S{1,200}${BLANKS}\\S{1,100}${BLANKS}`],
  ['mc admin user add', `${BLANKS}\\S{1,100}${BLANKS}\\S{1,100}${BLANKS}`],
  [
    '(?:sentinel[ \\t]auth-pass|user)',
    `${BLANKS}\\S{1,60}${BLANKS}(?:on${BLANKS}[>#]|insecure-password${BLANKS})`,
  ],
  ['lftp', `${GAP}-u${BLANKS}[^\\s,]{1,100},`],
  ['net user', `${BLANKS}\\S{1,100}${BLANKS}(?!/)`],
  ['snmp(?:walk|get|set|bulkwalk|getnext)', `${GAP}-A${BLANKS}`],
  ['snmp(?:walk|get|set|bulkwalk|getnext)', `${GAP}-X${BLANKS}`],
  ['rabbitmqctl', `${BLANKS}(?:add_user|change_password|authenticate_user)${BLANKS}\\S{1,100}${BLANKS}`],
  ['etcdctl', `${GAP}--user[ =]\\S{1,100}?:`],
  ['curl', `${GAP}(?:-b|--cookie)${BLANKS}["']?[\\w-]{1,60}=`],
  ['(?:http|https|xh)', `${GAP}(?:-a|--auth)${BLANKS}[^\\s:"']{1,100}:`],
  ['(?:splunk|nomad|consul)', `${GAP}-auth${BLANKS}\\S{1,100}?:`],
  [
    '(?:put-parameter|keyvault secret set|create-secret|put-secret-value)',
    `${GAP}--(?:value|secret-string)[ =]{1,5}`,
  ],
  ['--from-literal', `[= \\t]{1,5}["']?[\\w.-]{1,200}=`],
  ['--(?:src-|dest-)?creds', `[= \\t]{1,5}[^\\s:]{1,100}:`],
  ['(?:configure|config)', `${BLANKS}set${BLANKS}\\S{0,200}(?:secret|token|pass|_auth)\\w{0,30}${BLANKS}`],
  ['setx', `${BLANKS}\\w{0,60}(?:PASS|PASSWORD|PASSWD|TOKEN|SECRET|API_?KEY|PW)${BLANKS}`],
];

/** Matches the text before the password in a Redis or FTP command: blanks, perhaps a user name. */
const USER = '[ \\t]{1,5}(?:[a-z]{2,20}[ \\t]{1,5}(?=[^\\s"]+\\s*(?:$|")))?';

/**
 * Settings written as a keyword and a value. `before` matches the text before the value; every text with such
 * a setting contains `needle`.
 */
const WORDS: readonly (readonly [before: string, needle?: string | RegExp])[] = [
  ['\\b(?:requirepass|masterauth|bindpw|pre-?shared-key|ppp_password|insecure-password)"?[ \\t]{1,9}'],
  // Switches, routers and agents of SNMP. A digit before the value tells how it is encoded.
  [
    `\\b(?:(?:tacacs|radius)-server[ \\t]{1,5}(?:host[ \\t]{1,5}\\S{1,60}[ \\t]{1,5})?key|isakmp key|key-string|wpa-psk ascii|` +
      `r[ow]community6?|snmp-server[ \\t]{1,5}community|com2sec6?[ \\t]\\S{1,60}[ \\t]\\S{1,60}|password(?=[ \\t]{1,5}[05789][ \\t]))` +
      `[ \\t]{1,5}(?:[05-9][ \\t]{1,5})?`,
  ],
  [`\\bAUTH[ \\t]{1,5}(?:PLAIN|LOGIN)[ \\t]{1,5}(?=[A-Za-z0-9+/]{8})`, 'AUTH'],
  [`(?:\\bHELLO 3 AUTH[ \\t]|"AUTH"[ \\t]"(?=[^"]{1,60}"[ \\t]))[^\\s"]{1,60}"?[ \\t]`, 'AUTH'],
  [`\\b(?:auth|priv)[ \\t](?:md5|sha\\d{0,3}|3?des|aes)(?:[ \\t]\\d{3})?[ \\t]`],
  [`\\b(?:SHA|AES|MD5|DES)(?:-\\d{3})?[ \\t]{1,5}(?=")`],
  // A prompt for a secret, with the value on the next line or in the next command.
  [`\\b334 UGFzc3dvcmQ6\\r?\\n`, '334'],
  [`assword:?["'][;\\s]{1,4}send[ \\t]{1,5}`, 'assword'],
  [`\\buser_\\w{1,60}=(?=")`, 'LoginModule'],
  [
    `(?:password|PASSWORD|secret|SECRET|token|TOKEN|key|KEY)\\w{0,20}["'\\]]{0,3}\\n(?:=> |[^\\n]{0,200}\\binput_value=)(?=["'])`,
    /\n=> |input_value=/,
  ],
  [`\\bPSK[ \\t]{1,5}(?=")`, 'PSK'],
  [`(?:^|[:>] |")[ \\t]*AUTH${USER}`, 'AUTH'],
  [`(?:^|: |")[ \\t]*PASS${USER}`, 'PASS'],
  [`\\bACL[ \\t]{1,5}SETUSER[ \\t]{1,5}\\S{1,60}[^\\n>]{0,100}>`, 'ACL'],
  [`\\bSecret ?ID[ \\t]{0,20}[:=][ \\t]{0,20}`, 'ID'],
  [`\\bUnseal Key(?: \\d{1,2})?: {1,5}`, 'Unseal'],
  [`\\bPassword for the \\[[\\w-]{1,60}\\] user [^\\n]{0,60}\\nNew value: {1,5}`],
];

const SQL: readonly KnownSecret[] = [
  {
    pattern:
      /\bidentified[ \t]{1,5}(?:with[ \t]{1,5}\w{1,40}[ \t]{1,5})?by[ \t]{1,5}(?:password[ \t]{1,5})?(?:'([^'\n]{1,200})'|"([^"\n]{1,200})"|([^\s'"$;]{4,200}))/gi,
  },
  { needle: '(', pattern: /\bpassword[ \t]{0,5}\([ \t]{0,5}'([^'\n]{1,200})'/gi },
  {
    needle: /pass/i,
    pattern:
      /\bpass(?:word)?[ \t]{1,5}(?:for[ \t]{1,5}\S{1,100}[ \t]{0,5}=[ \t]{0,5})?'([^'\n]{1,200})'(?!')/gi,
  },
  {
    // Calls with a user and a password: HTTPBasicAuth('u', 'p'), connect('host', 'u', 'p').
    needle: '(',
    pattern:
      /(?:auth|credentials?|password|_connect|login)\([ \t]{0,5}["'][^"'\n]{1,100}["'],(?:[ \t]{0,5}["'][^"'\n]{1,100}["'],)?[ \t]{0,5}["']([^"'\n]{1,200})["']/gi,
  },
];

/** Logins in addresses without a scheme, in account files and in headers. */
const ADDRESSES: readonly KnownSecret[] = [
  {
    needle: /@(?:tcp|udp|unix)\(/,
    pattern: /(?<=[\s"'=]|^)[\w.-]{1,60}:([^\s:@"'()]{2,200})@(?:tcp|udp|unix)\(/gm,
  },
  { needle: '@', pattern: /\bjdbc:oracle:\w{2,10}:[\w.-]{1,60}\/([^\s@"']{2,200})@/g },
  { needle: '@', pattern: /\bsqlplus[ \t]{1,5}(?:-\w[ \t]{1,5})?[\w.-]{1,60}\/"?([^\s@"']{2,200})"?@/g },
  {
    // A setting whose value is a user and a password.
    needle: ':',
    pattern:
      /(?:basic[._-]?auth[._-]?user[._-]?info|stats[ \t]auth|authident|userpwd|basicauth\.users|[ \t]login|static|BUNDLE_\w{1,60})["']?[ \t]{0,5}[:= \t][ \t]{0,5}["']?[\w.@+-]{1,60}:([^\s"':,]{2,300})/gi,
  },
  {
    needle: /[\w*-]:(?:\d{2,5}|\*):[\w*-]{1,60}:[\w*-]{1,60}:/,
    pattern:
      /(?<=^[ \t]{0,12}|")(?:(?:[\w-]{1,60}\.){1,9}[\w-]{1,60}|localhost|\*):(?:\d{2,5}|\*):[\w*-]{1,60}:[\w*-]{1,60}:((?:[^\s:"\\]|\\:){2,200})(?=$|")/gm,
  },
  {
    needle: /\]:\d/,
    pattern: /(?<=^[ \t]{0,12}|")\[[\w.-]{1,100}\]:\d{2,5}[ \t]{1,9}[^\s:]{1,100}:([^\s"]{4,200})(?=$|")/gm,
  },
  {
    // Accounts of connection poolers and of PPP: a name, perhaps a server, a secret and perhaps addresses.
    needle: '"',
    pattern:
      /^[ \t]{0,12}(?:"[\w@.-]{1,60}"[ \t]{1,9}"([^"\s]{8,200})"|"?[\w@.-]{1,60}"?[ \t]{1,9}[*\w.-]{1,60}[ \t]{1,9}"([^"\s]{8,200})"[ \t]{1,9}[*\d.]{1,40})$/gm,
  },
  {
    needle: 'chpasswd:',
    pattern:
      /chpasswd:\s{1,80}(?:\w{1,40}: \w{1,40}\s{1,80})?list: ?\|\n((?:[ \t]{1,40}[^\s:]{1,60}:\S{1,200}(?:\n|$))+)/g,
  },
  { needle: '{', pattern: /(\{(?:SSHA|SHA|SMD5|MD5|CRYPT|PBKDF2)[\w-]{0,20}\}[A-Za-z0-9+/=$.]{8,300})/g },
  { pattern: /\bSignature=([0-9a-fA-F]{32,200})/g },
];

const INSERT =
  /\binsert\s{1,9}into\s{1,9}\S{1,80}\s{0,9}\(([^()]{1,400})\)\s{0,9}values\s{0,9}\(([^()\n]{1,2000})/gi;
const VALUE = /\s{0,9}(?:'((?:[^']|''){0,1000})'|[^,']{1,1000})\s{0,9}(?:,|$)/g;

export function findInserts(text: string, replacement: string): Mask[] {
  const masks: Mask[] = [];
  for (const { index, 0: whole, 1: columns = '', 2: values = '' } of text.matchAll(INSERT)) {
    const names = columns.split(',').map((name) => fieldName(name.trim()));
    if (!names.some((name) => name !== null)) continue;
    const start = index + whole.length - values.length;
    [...values.matchAll(VALUE)].forEach((value, column) => {
      const text = value[1];
      if (!names[column] || text === undefined || !isValue(text)) return;
      const at = start + value.index + value[0].indexOf("'") + 1;
      masks.push({ start: at, end: at + text.length, replacement });
    });
  }
  return masks;
}

/** A keyword and a value on a line of its own, in a block of settings. */
const LINES: KnownSecret = {
  needle: PASSWORD_NEEDLE,
  pattern: /^[ \t]{0,20}\w{0,30}password[ \t]{1,9}"?([^\s":=]{4,200})"?;?[ \t]{0,9}$/gim,
};

/** Places where only a random value counts as a secret, because ordinary words may be there too. */
const HEADERS: readonly KnownSecret[] = [
  { needle: 'code', pattern: /[?&]code(?:_verifier)?=([\w.~-]{16,300})/g },
  { needle: /hooks?\/|\/t\//, pattern: /:\/\/[^\s"'<>]{1,200}?(?:hooks?|\/t)\/([^\s"'<>]{20,400})/g },
  {
    pattern:
      /\bauthorization["']?[ \t]{0,5}[:=][ \t]{0,5}["']?(?:[A-Za-z][\w-]{0,30}[ \t]{1,4})?(?:(?:token|key)=)?["']?([^\s"',;=]{8,2000})/gi,
  },
  {
    // A secret on the line after a prompt or heading, such as `Your password:`.
    pattern:
      /\b(?:password|passphrase|token|secret)\b[^\n:=]{0,100}:[ \t]{0,5}\r?\n(?:[ \t]{0,5}\r?\n)?[ \t]{0,20}([^\s:=]{6,200})[ \t]{0,5}(?=\r?\n|$)/gi,
  },
  {
    needle: PASSWORD_NEEDLE,
    pattern:
      /\b(?:password|passphrase)[ \t]{1,5}for[ \t]{1,5}\S{1,60}[ \t]{1,5}is[ \t]{1,5}([^\s"']{4,200})/gi,
  },
];

/** Secrets that are recognised by the text before them: keywords, SQL, addresses and headers. */
export const KNOWN_PLACES: readonly KnownSecret[] = [
  ...[
    ...WORDS.map(([before, needle]) => ({ needle, pattern: new RegExp(`${before}${WORD}`, 'gm') })),
    ...SQL,
    ...ADDRESSES,
  ].map((each) => ({ ...each, accepts: isValue })),
  ...[LINES, ...HEADERS].map((each) => ({
    ...each,
    accepts: (secret: string) => isRandom(secret) && isValue(secret),
  })),
];

const KNOWN_COMMANDS: readonly KnownSecret[] = [
  ...COMMANDS.map(([command, before]) => ({
    pattern: new RegExp(`(?<![\\w-])${command}${before}${WORD}`, 'g'),
    accepts: isValue,
  })),
  {
    pattern:
      /(?<=\s)(?:-u|--user|-U|--proxy-user|-A|-E|--cert)[ \t=]{0,3}(?:"[^\s:"]{0,100}:([^"\n]{1,200})"|'[^\s:']{0,100}:([^'\n]{1,200})'|[^\s:"']{0,100}:(?:"([^"\n]{1,200})"|'([^'\n]{1,200})'|([^\s"']{1,200})))/g,
    accepts: isLoginFlag,
  },
  {
    // A key in place of the user, with an empty password.
    pattern: /(?<=\s)(?:-u|--user)[ \t=]{0,3}["']?([\w.-]{16,200}):["']?(?=\s|$)/g,
    accepts: (secret) => isGenerated(secret),
  },
  {
    // A secret that is written to the input of a command.
    pattern:
      /\b(?:echo|printf)[ \t]{1,5}(?:-\w{1,3}[ \t]{1,5}){0,2}["']?(?:[\w.-]{1,60}:(?=\S+[ \t]*\|[ \t]*(?:sudo )?chp))?([^\s"'|\\]{4,200})(?:\\n)?["']?[ \t]{0,5}\|[ \t]{0,5}(?:sudo[ \t]{1,5}(?:-S|chpasswd)|chpasswd|kinit|cryptsetup|kubeseal|passwd|[^\n|]{0,120}--\w{0,20}(?:password|token|secret)-stdin)/g,
    accepts: isValue,
  },
  { pattern: new RegExp(`<\\((?:echo|printf)[ \\t]{1,5}${WORD}(?=\\))`, 'g'), accepts: isValue },
  { pattern: new RegExp(`\\bsudo[ \\t]{1,5}-S[ \\t]{1,5}<<<[ \\t]{0,5}${WORD}`, 'g'), accepts: isValue },
  {
    pattern:
      /\bpatch\s{1,5}secrets?[ /][^\n]{0,300}?"(?:data|stringData)"\s{0,5}:\s{0,5}\{([^{}\n]{1,4000})\}/g,
    accepts: isValue,
  },
];
/** Matches a flag. Every text with a known command matches FLAG or FLAGLESS. Two expressions are faster than one. */
const FLAG = /[ \t]["']?-[a-zA-Z-]/;
const FLAGLESS = /setx? |net use|config |ctl |mc a|user |sentinel |SecureString |\| ?\w/;

export function findInCommands(text: string, replacement: string): Mask[] {
  return FLAG.test(text) || FLAGLESS.test(text) ? findKnown(text, KNOWN_COMMANDS, replacement) : [];
}

function isValue(secret: string): boolean {
  if (isStandIn(secret) || secret.startsWith('[MASKED_')) return false;
  return !/^(?:-|\$|<|%[sdv]$)/.test(secret.replace(/^\$\d\$/, ''));
}

function isRandom(secret: string): boolean {
  if (!/\d/.test(secret) || !/[A-Za-z]/.test(secret) || /[()]/.test(secret)) return false;
  return !/^[a-z]+(?:[-/.][a-z]*\d{0,5})+$/.test(secret);
}

function isLoginFlag(secret: string, text: string, at: number): boolean {
  if (/^\d+$/.test(secret) || !isValue(secret)) return false;
  return /\b(?:curl|wget|http|https|htpasswd|ab|siege|hey)\b/.test(text.slice(Math.max(0, at - 200), at));
}
