/**
 * Whether an event may ask for the address of its connection as that of its user. A browser or a phone means it even
 * without a word; an SDK on a server would only tell us where the server stands, so it has to say
 * `{{auto}}`. Asking the socket costs more than searching a small event.
 */
const serverClients =
  /^sentry\.(javascript\.(node|bun|deno|nestjs|aws-serverless|google-cloud-serverless)|python|go|php|ruby|rust|elixir|perl)\b/
const auto = Buffer.from('{{auto}}')
/** In larger bodies the search costs more than the socket's answer. */
const searchedBytesMax = 4096

/** Clients repeat their names, so each is matched once. Full means emptied. */
const known = new Map<string, boolean>()
const knownMax = 1024

export function mayMeanAddress(client: string, bytes: Buffer): boolean {
  if (!isServerClient(client) || bytes.length > searchedBytesMax) return true
  return bytes.indexOf(auto) >= 0
}

function isServerClient(client: string): boolean {
  let isServer = known.get(client)
  if (isServer === undefined) {
    isServer = serverClients.test(client)
    if (known.size >= knownMax) known.clear()
    known.set(client, isServer)
  }
  return isServer
}
