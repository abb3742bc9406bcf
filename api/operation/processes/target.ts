/** A process that `top` and the doctor read. */
export interface Target {
  /** `ingest`, `workers`, …, or the host and port of a URL without a name. */
  readonly name: string
  readonly metricsUrl: string
}

/** @param metricsUrl a valid URL; without a path it is that of `/metrics` */
export function targetOf(metricsUrl: string): Target {
  const url = new URL(metricsUrl)
  if (url.pathname === '/') url.pathname = '/metrics'
  return { name: url.host, metricsUrl: url.href }
}

/** The processes that `npm start` runs. */
export function targetsOf(metricsUrls: Readonly<Record<string, string>>): Target[] {
  return Object.entries(metricsUrls).map(([name, metricsUrl]) => ({ name, metricsUrl }))
}
