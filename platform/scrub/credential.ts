/** Whether what follows "Bearer" or "Basic" is a credential, and no word of a sentence. */
export function isCredential(value: string, isBearer: boolean): boolean {
  if (parameter.test(value)) return false
  return isBearer ? !isBearerProse(value) : isEncoded(value)
}

/** `Bearer realm="x", error="invalid_token"` says what a server wants and holds no token. */
const parameter =
  /^(?:realm|error|error_description|error_uri|scope|charset|authorization_uri|resource_metadata|client_id)=(?!=)/

/** "Basic authentication" and "basic usage" are words. */
function isEncoded(value: string): boolean {
  return value.length >= 24 || /\d|=$|[a-z][A-Z]/.test(value)
}

/** Words that follow "bearer" in sentences; anything else that follows is a token. */
// biome-ignore format: a list of words reads better in full lines
const bearerWords: ReadonlySet<string> = new Set([
  'token', 'tokens', 'auth', 'authentication', 'authorization', 'authorisation', 'authenticated',
  'credential', 'credentials', 'header', 'headers', 'scheme', 'schemes', 'prefix', 'challenge',
  'format', 'type', 'value', 'realm', 'error', 'errors', 'undefined', 'null', 'none', 'missing',
  'expected', 'required', 'invalid', 'expired', 'failed', 'cannot', 'must', 'should', 'were',
  'that', 'this', 'with', 'without', 'from', 'when', 'then', 'instead', 'access', 'string',
  'keyword', 'security', 'middleware', 'strategy', 'handler', 'shares', 'bonds', 'instruments',
  'only', 'followed', 'method', 'mechanism', 'does', 'have', 'here', 'into', 'news',
])

function isBearerProse(value: string): boolean {
  let end = value.length
  while (end > 0 && value.charCodeAt(end - 1) === 46) end -= 1
  const words = value.slice(0, end).toLowerCase().split(/[-/]/, 3)
  return words.length < 3 && words.every((word) => bearerWords.has(word))
}
