/** A host name that has several addresses stands for several processes of a kind. */
import { lookup } from 'node:dns/promises'
import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Target } from './target.ts'

export type LookUp = (host: string) => Promise<readonly { address: string; family: number }[]>

export const lookUpMsMax = 1_000
export const targetsMax = 64

const lookUpAll: LookUp = (host) => lookup(host, { all: true })

/** A name that cannot be resolved stays as it is: the scrape then says what is wrong with it. */
export async function resolveTargets(
  targets: readonly Target[],
  { lookUp = lookUpAll, msMax = lookUpMsMax }: { lookUp?: LookUp; msMax?: number } = {},
): Promise<Target[]> {
  const resolved = await Promise.all(targets.map((target) => addressesOf(target, lookUp, msMax)))
  return resolved.flat().slice(0, targetsMax)
}

async function addressesOf(target: Target, lookUp: LookUp, msMax: number): Promise<Target[]> {
  const url = new URL(target.metricsUrl)
  const host = url.hostname
  // A certificate names the host, not its addresses.
  const isSingle = url.protocol !== 'http:' || host === 'localhost' || host.startsWith('[')
  if (isSingle || isIP(host) !== 0) return [target]
  const late = sleep(msMax, [], { ref: false })
  const found = await Promise.race([lookUp(host).catch(() => []), late])
  // A process that listens on both families would be counted twice.
  const v4 = found.filter(({ family }) => family === 4)
  const addresses = [...new Set((v4.length > 0 ? v4 : found).map(({ address }) => address))].sort()
  if (addresses.length < 2) return [target]
  return addresses.map((address) => {
    const one = new URL(url)
    one.hostname = isIP(address) === 6 ? `[${address}]` : address
    return { name: `${target.name} ${address}`, metricsUrl: one.href }
  })
}
