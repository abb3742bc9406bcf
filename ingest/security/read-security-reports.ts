/**
 * Reads reports of blocked resources and invalid certificates: one object under a name of its own,
 * as `report-uri` sends it, or a list of reports, as `report-to` does (Reporting API, "Media
 * Type"). Each becomes an event that an SDK could have sent; its contents are validated where an
 * SDK's are.
 */
export interface SecurityCall {
  readonly body: Buffer
  readonly userAgent: string
  readonly referrer: string
  readonly release: string | undefined
  readonly environment: string | undefined
  readonly receivedAtMs: number
}

export type ReadReport =
  | { readonly kind: 'event'; readonly fields: Readonly<Record<string, unknown>> }
  /** A report that is not about security. */
  | { readonly kind: 'unsupported'; readonly type: string }

export type ReadReports =
  | { readonly kind: 'reports'; readonly reports: readonly ReadReport[] }
  | { readonly kind: 'invalid'; readonly cause: string }

type Sent = ReadonlyMap<string, unknown>

export function readSecurityReports(call: SecurityCall): ReadReports {
  let parsed: unknown
  try {
    parsed = JSON.parse(call.body.toString('utf8'))
  } catch {
    return { kind: 'invalid', cause: 'the report is not valid JSON' }
  }
  const list = Array.isArray(parsed)
    ? parsed.map((entry) => readListed(entry, call))
    : [readNamed(parsed, call)]
  const reports = list.filter((report) => report !== undefined)
  if (reports.length < list.length) {
    return { kind: 'invalid', cause: 'a report must be an object that names what was blocked' }
  }
  return { kind: 'reports', reports }
}

/** `{"csp-report":{…}}` and similar forms. */
function readNamed(sent: unknown, call: SecurityCall): ReadReport | undefined {
  const outer = fieldsOf(sent)
  const csp = fieldsOf(outer?.get('csp-report'))
  if (csp !== undefined) return cspEvent(csp, call)
  for (const { key, logger, text } of certificateReports) {
    const report = key === undefined ? outer : fieldsOf(outer?.get(key))
    const host = report?.get('hostname')
    if (report === undefined || typeof host !== 'string') continue
    const fields = {
      ...commonFields(call),
      logger,
      logentry: { formatted: `${text} for '${host}'` },
      fingerprint: [logger, host],
      extra: scalarsOf(report),
    }
    return { kind: 'event', fields }
  }
  return undefined
}

const fieldsPerReportMax = 50

/** Reports on public key pins have no enclosing name, so they are recognised last. */
const certificateReports = [
  { key: 'expect-ct-report', logger: 'expectct', text: 'Expect-CT failed' },
  { key: 'expect-staple-report', logger: 'expectstaple', text: 'Expect-Staple failed' },
  { key: undefined, logger: 'hpkp', text: 'Public key pinning validation failed' },
] as const

/** `{"type":"csp-violation","age":53,"url":"…","body":{…}}`. */
function readListed(sent: unknown, call: SecurityCall): ReadReport | undefined {
  const report = fieldsOf(sent)
  const type = report?.get('type')
  if (report === undefined || typeof type !== 'string') return undefined
  if (type !== 'csp-violation') return { kind: 'unsupported', type }
  const body = fieldsOf(report.get('body'))
  if (body === undefined) return undefined
  const url = report.get('url')
  const userAgent = report.get('user_agent')
  return cspEvent(body, {
    ...call,
    userAgent: typeof userAgent === 'string' ? userAgent : call.userAgent,
    referrer: typeof url === 'string' ? url : call.referrer,
    receivedAtMs: call.receivedAtMs - ageMs(report.get('age')),
  })
}

const ageMsMax = 7 * 86_400_000

/** Browsers delay reports, so the age is subtracted from the time. */
function ageMs(sent: unknown): number {
  return typeof sent === 'number' && 0 <= sent && sent <= ageMsMax ? sent : 0
}

function cspEvent(report: Sent, call: SecurityCall): ReadReport | undefined {
  const firstText = (...names: readonly string[]) =>
    names.map((name) => report.get(name)).find((value) => typeof value === 'string')
  const directive = firstText(
    ...['effective-directive', 'effectiveDirective', 'violated-directive', 'violatedDirective'],
  )
  if (directive === undefined || directive === '') return undefined
  const url = firstText('document-uri', 'documentURL', 'documentURI') ?? call.referrer
  const fields = {
    ...commonFields(call),
    logger: 'csp',
    csp: scalarsOf(report),
    tags: { 'csp.disposition': firstText('disposition') ?? 'enforce' },
    request: { url, headers: call.userAgent === '' ? {} : { 'User-Agent': call.userAgent } },
  }
  return { kind: 'event', fields }
}

function commonFields({ release, environment, receivedAtMs }: SecurityCall) {
  return {
    platform: 'javascript',
    level: 'error',
    timestamp: receivedAtMs / 1000,
    release,
    environment,
    // The user's address is not requested.
    sdk: { settings: { infer_ip: 'never' } },
  }
}

/**
 * Reports are flat. Nested values are dropped: they could be nested without limit, or be much
 * longer when serialised.
 */
function scalarsOf(report: Sent): Record<string, unknown> {
  const scalars = [...report].filter(([, value]) => value === null || typeof value !== 'object')
  return Object.fromEntries(scalars.slice(0, fieldsPerReportMax))
}

function fieldsOf(sent: unknown): Sent | undefined {
  if (typeof sent !== 'object' || sent === null || Array.isArray(sent)) return undefined
  return new Map(Object.entries(sent))
}
