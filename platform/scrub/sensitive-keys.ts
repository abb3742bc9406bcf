/**
 * Decides whether a key names a secret. A name is split into its words (`dbPassword`, `DB_PASSWORD`
 * and `db-password` are all "db password"), so `author` does not match `auth` and `secretary` does
 * not match `secret`. Compound words are matched by a few stems that occur in no harmless word. A
 * name that only describes a secret (`token_count`, `csrf_failures`, `is_password_set`) is not one.
 */

/** Words that make a name secret at any position. */
// biome-ignore format: a list of words reads better in full lines
const secretWords: ReadonlySet<string> = new Set([
  'password', 'passwords', 'passwd', 'passphrase', 'passcode', 'pwd', 'mysqlpwd', 'pgpassword',
  'secret', 'secrets', 'token', 'tokens', 'jwt', 'bearer', 'authorization', 'credential',
  'credentials', 'cookie', 'cookies', 'csrf', 'xsrf', 'sessid', 'phpsessid', 'jsessionid', 'otp',
  'totp', 'cvv', 'cvc', 'cvv2', 'ssn', 'iban',
])
/** Words that make a name secret only at its end: `basic_auth` is secret, `auth_method` is not. */
const secretEnds: ReadonlySet<string> = new Set([
  'auth',
  'pass',
  'pw',
  'pin',
  'authentication',
  'sid',
])
// biome-ignore format: a list of words reads better in full lines
const secretPairs: ReadonlySet<string> = new Set([
  'api key', 'api keys', 'private key', 'secret key', 'access key', 'encryption key',
  'signing key', 'session key', 'auth key', 'account key', 'session id', 'credit card',
  'card number', 'security code', 'pin code', 'connection string', 'social security',
  'amz signature', 'goog signature',
])
const secretStems =
  /password|passwd|passphrase|credential|apikey|apisecret|clientsecret|secretkey|accesskey|privatekey|authtoken|accesstoken|refreshtoken|idtoken|sessiontoken|csrftoken|csrfmiddleware|sessionid|creditcard|cardnumber|connectionstring/
/** Endings of names that describe a secret without containing it. */
// biome-ignore format: a list of words reads better in full lines
const harmlessEnds: ReadonlySet<string> = new Set([
  // Amounts and times.
  'count', 'counts', 'length', 'size', 'age', 'limit', 'at', 'in', 'usage', 'failures', 'attempts',
  'retries', 'total', 'remaining', 'left', 'hits', 'misses', 'requests', 'calls', 'rate',
  'ratio', 'percent', 'ms', 'seconds', 'minutes', 'hours', 'days', 'bytes', 'duration', 'time',
  'timestamp', 'timeout', 'lifetime', 'ttl', 'expires', 'expiry', 'expiration', 'version', 'index',
  'position', 'offset', 'budget', 'quota', 'threshold', 'window', 'interval', 'second', 'minute',
  'hour', 'day', 'amount', 'balance', 'price', 'cost', 'supply', 'decimals', 'symbol', 'last4',
  // States.
  'status', 'state', 'required', 'enabled', 'disabled', 'valid', 'changed', 'sent', 'verified',
  'allowed', 'present', 'missing', 'exists', 'expired', 'revoked',
  'rotated', 'updated', 'created', 'supported', 'needed', 'exempt', 'secure', 'httponly',
  'samesite', 'consent', 'banner', 'protection', 'strength', 'policy',
  // Kinds and places.
  'type', 'kind', 'method', 'scheme', 'provider', 'name', 'names', 'algorithm', 'alg', 'issuer',
  'audience', 'format', 'scope', 'scopes', 'roles', 'permissions', 'class', 'handler', 'handlers',
  'middleware', 'validator', 'validators', 'hashers', 'manager', 'service', 'backend', 'engine',
  'path', 'file', 'dir', 'directory', 'domain', 'domains', 'origins', 'arn', 'label', 'title',
  'placeholder',
  // Reports.
  'error', 'errors', 'exception', 'failure', 'warning', 'reason', 'description',
])
/** First words of names that ask or bound: `has_password`, `max_tokens`. */
// biome-ignore format: a list of words reads better in full lines
const harmlessStarts: ReadonlySet<string> = new Set([
  'is', 'has', 'had', 'needs', 'requires', 'should', 'can', 'allow', 'allows', 'num', 'max', 'min',
])
/** Pairs that end a name, or are all of it, and name something public. */
// biome-ignore format: a list of words reads better in full lines
const harmlessPairs: ReadonlySet<string> = new Set([
  // Settings that OpenID providers publish.
  'token url', 'token uri', 'token endpoint', 'authorization url',
  'authorization uri', 'authorization endpoint', 'authorization server',
  // Places in lists, and objects that cancel.
  'page token', 'next token', 'continuation token', 'cancellation token', 'unexpected token',
  'token bucket',
  // Tokens of language models.
  'prompt tokens', 'completion tokens', 'input tokens', 'output tokens', 'total tokens',
  'cached tokens', 'reasoning tokens', 'used tokens', 'tokens used', 'remaining tokens', 'token ids',
  'special tokens', 'stop tokens', 'stop token', 'eos token', 'bos token', 'pad token',
  'unk token', 'sep token', 'mask token', 'cls token', 'design tokens',
  // Numbers of objects, tickets, passes of compilers, and pins of hardware and maps.
  'account sid', 'message sid', 'call sid', 'sms sid', 'user sid', 'owner sid', 'group sid',
  'conversation sid', 'service sid', 'boarding pass', 'season pass', 'day pass', 'ski pass',
  'render pass', 'shadow pass', 'first pass', 'second pass', 'compiler pass', 'map pin',
  'gpio pin', 'led pin', 'data pin', 'factor auth', 'factor authentication',
  'error message', 'error code', 'status code', 'result code', 'same site', 'passwordless',
])
// biome-ignore format: a list of words reads better in full lines
const addressNames: ReadonlySet<string> = new Set([
  'ip', 'ip address', 'ipaddress', 'ips', 'remote addr', 'remote address', 'client ip',
  'remote ip', 'user ip', 'x forwarded for', 'forwarded', 'x real ip', 'cf connecting ip',
  'true client ip', 'fly client ip', 'x client ip', 'x cluster client ip',
])

export type KeyMeaning = 'none' | 'secret' | 'password' | 'address'

const nameCharactersMax = 100
const rememberedMax = 8192
const remembered = new Map<string, KeyMeaning>()

/** Results are cached, because names repeat between events. */
export function meaningOfKey(name: string): KeyMeaning {
  const known = remembered.get(name)
  if (known !== undefined) return known
  const meaning = readMeaning(
    name.length > nameCharactersMax ? name.slice(-nameCharactersMax) : name,
  )
  if (name.length > nameCharactersMax) return meaning
  if (remembered.size >= rememberedMax) remembered.clear()
  remembered.set(name, meaning)
  return meaning
}

function readMeaning(name: string): KeyMeaning {
  const words = wordsOf(name)
  const last = words.at(-1) ?? ''
  if (addressNames.has(words.join(' '))) return 'address'
  if (isHarmless(words, last)) return 'none'
  if (
    words.some((word) => /^(?:passw|pass$|pwd$|passphrase)/.test(word)) &&
    isSecret(words, last)
  ) {
    return 'password'
  }
  return isSecret(words, last) ? 'secret' : 'none'
}

function isHarmless(words: readonly string[], last: string): boolean {
  if (harmlessEnds.has(last) || (words.length > 1 && harmlessStarts.has(words[0]!))) return true
  const end = words.length > 1 ? `${words.at(-2)!} ${last}` : last
  // `PublicKeyToken` is a part of the name of a .NET assembly; every other token of a key is one.
  if (end === 'key token') return words.at(-3) === 'public'
  return harmlessPairs.has(end)
}

function isSecret(words: readonly string[], last: string): boolean {
  if (secretEnds.has(last)) return true
  return words.some(
    (word, index) =>
      secretWords.has(word) ||
      secretWords.has(withoutNumber(word)) ||
      secretPairs.has(`${word} ${words[index + 1] ?? ''}`) ||
      (word.length > 5 && secretStems.test(word)),
  )
}

/** `token1` is a token. */
function withoutNumber(word: string): string {
  let end = word.length
  while (end > 0 && word.charCodeAt(end - 1) < 58) end -= 1
  return word.slice(0, end)
}

function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
}
