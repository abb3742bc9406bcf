/**
 * Caches parsed credentials by their exact text, because clients repeat it with every request.
 * Cleared when full.
 */
import {
  type Credentials,
  credentialsOfHeaders,
  credentialsOfQuery,
  type HeaderCredentials,
} from './read-credentials.ts'

const entriesMax = 4096
/** Longer credentials are unusual and are parsed each time. */
const cachedCharactersMax = 512

export class CredentialCache {
  readonly #queries = new Map<string, Credentials>()
  readonly #headers = new Map<string, Credentials>()

  ofQuery(query: string): Credentials {
    return remember(this.#queries, query, () => credentialsOfQuery(query))
  }

  ofHeaders(headers: HeaderCredentials): Credentials {
    const text = `${headers.sentryAuth}\n${headers.authorization}`
    return remember(this.#headers, text, () => credentialsOfHeaders(headers))
  }
}

function remember(
  cache: Map<string, Credentials>,
  text: string,
  read: () => Credentials,
): Credentials {
  const known = cache.get(text)
  if (known !== undefined) return known
  const credentials = read()
  if (text.length > cachedCharactersMax) return credentials
  if (cache.size >= entriesMax) cache.clear()
  cache.set(text, credentials)
  return credentials
}
