/** Variables with invalid values, and settings that contradict each other. */
import type { Check } from '../doctor-context.ts'
import type { DoctorSettings } from '../doctor-settings.ts'
import { type Finding, of } from '../finding.ts'

const settings = of('settings')

export const settingsCheck: Check = {
  group: 'settings',
  run: async (ctx) => {
    const found = [...invalid(ctx.settings), ...contradictions(ctx.settings)]
    if (found.length > 0) return found
    return [settings.ok('values', 'All variables that are set are valid and fit together.')]
  },
}

function invalid(given: DoctorSettings): Finding[] {
  return given
    .invalid()
    .map(({ name, rule }) =>
      settings.problem(name, `${name} is not valid: ${rule}.`, `Correct ${name}, or remove it.`),
    )
}

/** One rule: when it applies, and what it says. */
type Rule = (given: DoctorSettings) => Finding | undefined

const isLocal = (url: string | undefined) =>
  /^smtps?:\/\/(?:[^@/]*@)?(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])(?::|\/|\?|$)/.test(url ?? '')

function realSmtp(given: DoctorSettings): boolean {
  return given.isSet('SMTP_URL') && !isLocal(given.env['SMTP_URL'])
}

const rules: readonly Rule[] = [
  (given) => {
    const hops = given.get('TRUST_PROXY_HOPS') ?? 0
    const proxies = given.get('TRUSTED_PROXIES') ?? []
    if (hops === 0 || proxies.length === 0) return undefined
    return settings.problem(
      'proxies',
      'TRUST_PROXY_HOPS and TRUSTED_PROXIES are both set, and only TRUSTED_PROXIES is used.',
      'Remove one of them.',
    )
  },
  (given) => {
    const isBehind = given.get('API_URL')?.startsWith('https:')
    const trusts =
      (given.get('TRUST_PROXY_HOPS') ?? 0) > 0 || (given.get('TRUSTED_PROXIES') ?? []).length > 0
    if (!isBehind || trusts || given.isEmbedded) return undefined
    return settings.warning(
      'api_proxy',
      'API_URL is https, so a proxy is in front of the API, and none is trusted: all clients have the address of the proxy and share its rate limits.',
      'Set TRUST_PROXY_HOPS=1 for one proxy, or TRUSTED_PROXIES to its address.',
    )
  },
  (given) => {
    const isBehind = given.get('INGEST_URL')?.startsWith('https:')
    const trusts = (given.get('INGEST_TRUSTED_PROXIES') ?? []).length > 0
    if (!isBehind || trusts || given.isEmbedded) return undefined
    return settings.warning(
      'ingest_proxy',
      'INGEST_URL is https, so a proxy is in front of ingest, and none is trusted: events have the address of the proxy as their client address.',
      'Set INGEST_TRUSTED_PROXIES to the address or network of the proxy.',
    )
  },
  (given) => {
    if (given.get('MAIL_ALLOW_UNVERIFIED_FROM') !== true || !realSmtp(given)) return undefined
    return settings.warning(
      'unverified_from',
      'MAIL_ALLOW_UNVERIFIED_FROM is true with a real SMTP server: emails of any domain leave, and receivers may block the server.',
      'Remove MAIL_ALLOW_UNVERIFIED_FROM, and verify the sending domains.',
    )
  },
  (given) => {
    if (!realSmtp(given)) return undefined
    const domain = given.get('MAIL_FROM')?.email.split('@')[1] ?? ''
    if (domain.includes('.')) return undefined
    return settings.warning(
      'mail_from',
      `MAIL_FROM is an address of ${domain || 'no domain'}, which receivers refuse.`,
      'Set MAIL_FROM to an address of a domain that you own.',
    )
  },
  (given) => {
    const streams = given.get('INGEST_STREAMS') ?? 1
    const partitions = given.get('INGEST_PARTITIONS') ?? 1
    if (streams <= partitions) return undefined
    return settings.problem(
      'streams',
      `INGEST_STREAMS is ${streams} and INGEST_PARTITIONS is ${partitions}: some streams would have no partition.`,
      'Use at most as many streams as partitions.',
    )
  },
  (given) => {
    if (given.get('RETENTION_DAYS') !== 1) return undefined
    return settings.warning(
      'retention',
      'RETENTION_DAYS is 1: ids of events are read from their rows after a restart, so an event that is sent again after a day may be stored twice.',
      'Set RETENTION_DAYS to 2 or more.',
    )
  },
  (given) => {
    const isBroker = given.get('INGEST_DURABILITY') === 'broker'
    if (!isBroker || (given.get('INGEST_STREAM_REPLICAS') ?? 1) > 1) return undefined
    return settings.warning(
      'durability',
      'INGEST_DURABILITY is broker and the streams have one replica: an event that was answered 200 is lost with the disk of the broker.',
      'Set INGEST_DURABILITY=log, or use three replicas.',
    )
  },
  (given) => {
    const previous = given.env['SLUICE_SECRET_PREVIOUS']
    if (!previous || previous !== given.env['SLUICE_SECRET']) return undefined
    return settings.warning(
      'previous_secret',
      'SLUICE_SECRET_PREVIOUS is the same as SLUICE_SECRET.',
      'Remove SLUICE_SECRET_PREVIOUS, or set it to the secret before the rotation.',
    )
  },
  (given) => {
    if (!given.isSet('SLUICE_FAILPOINTS')) return undefined
    return settings.problem(
      'failpoints',
      'SLUICE_FAILPOINTS is set: processes stop at places that tests choose.',
      'Remove SLUICE_FAILPOINTS.',
    )
  },
]

function contradictions(given: DoctorSettings): Finding[] {
  return rules.flatMap((rule) => rule(given) ?? [])
}
