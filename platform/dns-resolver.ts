/**
 * DNS lookups for the check of sending domains. A name without records is an empty list; only a
 * failing server is an error.
 */
import { Resolver } from 'node:dns/promises'

export interface DnsResolver {
  /** Each TXT record with its strings concatenated. */
  readonly txt: (name: string) => Promise<string[]>
  readonly mx: (name: string) => Promise<string[]>
}

const timeoutMs = 2_000
const triesMax = 2

/**
 * Asks the given name servers, or without any those of the machine. Throws when one is not an IP
 * address with an optional port.
 */
export function createDnsResolver(servers: readonly string[]): DnsResolver {
  const resolver = new Resolver({ timeout: timeoutMs, tries: triesMax })
  if (servers.length > 0) resolver.setServers(servers)
  return {
    txt: async (name) => {
      const records = await noneIfMissing(resolver.resolveTxt(name))
      return records.map((strings) => strings.join(''))
    },
    mx: async (name) => {
      const records = await noneIfMissing(resolver.resolveMx(name))
      return records
        .toSorted((a, b) => a.priority - b.priority)
        .map(({ exchange }) => exchange.toLowerCase().replace(/\.$/, ''))
    },
  }
}

const missingCodes: ReadonlySet<unknown> = new Set(['ENODATA', 'ENOTFOUND'])

async function noneIfMissing<T>(answer: Promise<T[]>): Promise<T[]> {
  try {
    return await answer
  } catch (error) {
    if (missingCodes.has((error as NodeJS.ErrnoException).code)) return []
    throw error
  }
}
