const browsers = [
  [/Edg\/(\d+)/, 'Edge'],
  [/OPR\/(\d+)/, 'Opera'],
  [/Firefox\/(\d+)/, 'Firefox'],
  [/Chrome\/(\d+)/, 'Chrome'],
  [/Version\/(\d+)/, 'Safari'],
] as const
const systems = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Mac OS X/, 'macOS'],
  [/Windows/, 'Windows'],
  [/Linux/, 'Linux'],
] as const

/** `Chrome 120 on macOS`, from a user agent. Unknown ones are shown as they are. */
export function describeBrowser(agent: string | null): string {
  if (agent === null || agent === '') return 'unknown'
  const browser = browsers.find(([pattern]) => pattern.test(agent))
  const system = systems.find(([pattern]) => pattern.test(agent))?.[1]
  if (browser === undefined) return agent.slice(0, 60)
  const version = browser[0].exec(agent)?.[1] ?? ''
  const name = `${browser[1]} ${version}`.trim()
  return system === undefined ? name : `${name} on ${system}`
}
