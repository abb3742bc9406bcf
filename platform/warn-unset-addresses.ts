import { inheritedEnv } from './env.ts'
import type { Logger } from './logger.ts'

/** The public addresses of an installation, which no store holds. */
export type AddressName = 'INGEST_URL' | 'API_URL'

/** Logs that links or DSNs name an address of this machine, because a variable has its default. */
export function warnUnsetAddresses(
  env: Readonly<Partial<Record<AddressName, string>>>,
  log: Logger,
  given: NodeJS.ProcessEnv = inheritedEnv(),
): void {
  for (const [name, url] of Object.entries(env)) {
    if (given[name]) continue
    const what = name === 'INGEST_URL' ? 'DSNs' : 'Links in emails and pages'
    log.warn(
      { code: 'address_unset', variable: name, url },
      `${name} is not set. ${what} name ${url}, which only this machine can reach.`,
    )
  }
}
