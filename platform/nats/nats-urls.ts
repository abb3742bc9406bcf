/** Parses NATS_URL: one URL, or several separated by commas. */
export interface NatsServers {
  /** Host and port of each server. */
  readonly servers: readonly string[]
  readonly user: string | undefined
  readonly password: string
  readonly usesTls: boolean
  /** File with a user's JWT and key (`?credentials=/path`), of NATS with accounts. */
  readonly credentialsFile: string | undefined
}

/**
 * All connections use one user, so the first URL names it. Throws an error with one sentence if a
 * URL is invalid.
 */
export function readNatsUrls(urls: string): NatsServers {
  const parsed = urls.split(',').map((url) => readNatsUrl(url.trim()))
  const [first] = parsed
  if (first === undefined) throw new Error('there is no NATS server')
  for (const { protocol, username, password } of parsed) {
    const isBare = username === '' && password === ''
    const sameUser = isBare || (username === first.username && password === first.password)
    if (protocol === first.protocol && sameUser) continue
    throw new Error('the servers must have the same protocol, user and password')
  }
  // The library does not read credentials from a URL: it would parse the password as the port.
  return {
    servers: parsed.map(({ host }) => host),
    user: first.username === '' ? undefined : decodeURIComponent(first.username),
    password: decodeURIComponent(first.password),
    usesTls: first.protocol === 'tls:',
    credentialsFile: first.searchParams.get('credentials') ?? undefined,
  }
}

function readNatsUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url !== undefined && /^(nats|tls):$/.test(url.protocol) && url.host !== '') return url
  throw new Error(
    'must be a URL of the form nats://user:password@host:port, or several separated by commas',
  )
}
