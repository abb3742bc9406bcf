/**
 * Decides whether a key names a secret. A name is split into its words (`dbPassword`, `DB_PASSWORD`
 * and `db-password` are all "db password"), so `author` does not match `auth` and `secretary` does
 * not match `secret`. Compound words are matched by a few stems that occur in no harmless word.
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
  'signing key', 'session key', 'auth key', 'session id', 'credit card', 'card number',
  'security code', 'connection string', 'social security',
])
const secretStems =
  /password|passwd|passphrase|credential|apikey|apisecret|clientsecret|secretkey|accesskey|privatekey|authtoken|accesstoken|refreshtoken|idtoken|sessiontoken|csrftoken|csrfmiddleware|sessionid|creditcard|cardnumber|connectionstring/
/** Endings of names that describe a secret without containing it. */
// biome-ignore format: a list of words reads better in full lines
const harmlessEnds: ReadonlySet<string> = new Set([
  'count', 'length', 'size', 'type', 'method', 'scheme', 'provider', 'policy', 'strength',
  'status', 'error', 'errors', 'expires', 'expiry', 'expiration', 'ttl', 'age', 'limit', 'at',
  'in', 'required', 'enabled', 'valid', 'changed', 'usage', 'name',
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
  if (harmlessEnds.has(last)) return 'none'
  if (
    words.some((word) => /^(?:passw|pass$|pwd$|passphrase)/.test(word)) &&
    isSecret(words, last)
  ) {
    return 'password'
  }
  return isSecret(words, last) ? 'secret' : 'none'
}

function isSecret(words: readonly string[], last: string): boolean {
  if (secretEnds.has(last)) return true
  return words.some(
    (word, index) =>
      secretWords.has(word) ||
      secretPairs.has(`${word} ${words[index + 1] ?? ''}`) ||
      (word.length > 6 && secretStems.test(word)),
  )
}

function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '')
}
