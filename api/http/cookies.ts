/**
 * Cookies of the whole API (`request.cookies`, `reply.setCookie`). The defaults make every cookie
 * `SameSite=Lax`, and `Secure` if TLS reaches this process or API_URL says that a proxy ends TLS in
 * front of it.
 */
import cookie from '@fastify/cookie'
import type { ApiInstance } from './route.ts'

/** Call it before any other `onRequest` hook is added, because it parses the header in one. */
export async function registerCookies(app: ApiInstance, apiUrl: string): Promise<void> {
  const secure = apiUrl.startsWith('https:') ? true : 'auto'
  await app.register(cookie, { parseOptions: { sameSite: 'lax', secure } })
}
