/**
 * The rule that a metrics URL breaks, to follow the name of the setting; undefined if it is one.
 * Quotes no part of it, because it may hold a password.
 */
export function metricsUrlFault(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    return 'must be a metrics URL such as http://127.0.0.1:8036/metrics'
  }
  if (url.username !== '' || url.password !== '') {
    return 'must not contain a user or a password; operations ports need none'
  }
  return undefined
}
