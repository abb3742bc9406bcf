import type { Provider } from './providers.ts'

/**
 * What is pasted at the provider. Postmark signs nothing: it sends the user and the password that
 * its URL contains.
 */
export function pastedUrl(
  adapter: Provider,
  url: string,
  settings: Readonly<Record<string, string>>,
): string {
  if (adapter !== 'postmark') return url
  const pasted = new URL(url)
  // The setters leave a percent sign as it is.
  pasted.username = encodeURIComponent(settings['username'] ?? '')
  pasted.password = encodeURIComponent(settings['password'] ?? '')
  return pasted.href
}
