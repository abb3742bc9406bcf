/** INGEST_URL and API_URL: usable from elsewhere, encrypted, resolvable, and answered. */
import type { Check, DoctorContext } from '../doctor-context.ts'
import { type Finding, of } from '../finding.ts'
import { isLoopback } from '../host-kinds.ts'
import { reasonOf } from '../reason-of.ts'

const publicUrls = of('public_urls')

const variables = [
  { name: 'ingest', variable: 'INGEST_URL', use: 'DSNs' },
  { name: 'api', variable: 'API_URL', use: 'links in emails' },
] as const
type Variable = (typeof variables)[number]

export const publicUrlsCheck: Check = {
  group: 'public_urls',
  run: async (ctx) => {
    const found = await Promise.all(variables.map((variable) => check(ctx, variable)))
    return found.flat()
  },
}

async function check(ctx: DoctorContext, which: Variable): Promise<Finding[]> {
  const text = ctx.settings.get(which.variable)
  if (text === undefined) return [publicUrls.skipped(which.name, `${which.variable} is not valid.`)]
  const url = new URL(text)
  const [resolved, health] = await Promise.all([
    isLoopback(url.hostname) ? [] : resolves(ctx, which, url.hostname),
    answers(ctx, which, url),
  ])
  return [...kind(ctx, which, url), ...resolved, health]
}

function kind(ctx: DoctorContext, { name, variable, use }: Variable, url: URL): Finding[] {
  if (ctx.settings.isEmbedded && isLoopback(url.hostname)) return []
  if (isLoopback(url.hostname)) {
    return [
      publicUrls.problem(
        `${name}_host`,
        `${variable} is ${url.origin}, which only this machine reaches: ${use} are useless elsewhere.`,
        `Set ${variable} to the public https URL, in every process.`,
      ),
    ]
  }
  if (url.protocol === 'https:') return []
  return [
    publicUrls.warning(
      `${name}_https`,
      `${variable} is not https: ${use} send data in clear text.`,
      `Put a proxy with TLS in front, and set ${variable} to its https URL.`,
    ),
  ]
}

async function resolves(
  ctx: DoctorContext,
  { name, variable }: Variable,
  host: string,
): Promise<Finding[]> {
  try {
    const addresses = await ctx.addressesOf(host)
    const names = await Promise.all(
      addresses.slice(0, 3).map(async (address) => {
        const [reverse] = await ctx.namesOf(address).catch(() => [])
        return reverse === undefined ? address : `${address} (${reverse})`
      }),
    )
    return [publicUrls.ok(`${name}_dns`, `${host} is ${names.join(', ')}.`)]
  } catch (error) {
    return [
      publicUrls.problem(
        `${name}_dns`,
        `The host of ${variable}, ${host}, cannot be resolved: ${reasonOf(error)}.`,
        'Add an A or AAAA record for it.',
      ),
    ]
  }
}

async function answers(ctx: DoctorContext, { name, variable }: Variable, url: URL) {
  // Without a user and a password, which the findings would show.
  const health = `${url.origin}${url.pathname.replace(/\/$/, '')}/health`
  try {
    const { status } = await ctx.httpGet(health)
    if (status === 200) return publicUrls.ok(`${name}_answers`, `${health} answers.`)
    return publicUrls.problem(
      `${name}_answers`,
      `${health} answers with status ${status}.`,
      `Correct ${variable}, or the proxy in front of it.`,
    )
  } catch (error) {
    return publicUrls.problem(
      `${name}_answers`,
      `${health} does not answer: ${reasonOf(error)}.`,
      `Start the process, or correct ${variable}. From inside a network, a name may need its inner address.`,
    )
  }
}
