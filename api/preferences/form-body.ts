/**
 * Reads forms as browsers and mailbox providers post them: URL-encoded or multipart (RFC 8058 §3.2
 * allows both). An invalid body has no fields; the URL alone is enough to unsubscribe.
 */
import type { FastifyRequest } from 'fastify'
import type { ApiInstance } from '../http/route.ts'

export const formBytesMax = 64 * 1024

export function takeForms(scope: ApiInstance): void {
  scope.removeAllContentTypeParsers()
  scope.addContentTypeParser(
    '*',
    { parseAs: 'buffer', bodyLimit: formBytesMax },
    (_request, body, done) => done(null, body),
  )
}

export async function formFields(request: FastifyRequest): Promise<URLSearchParams> {
  const { body } = request
  const fields = new URLSearchParams()
  if (!Buffer.isBuffer(body)) return fields
  const type = request.headers['content-type'] ?? 'application/x-www-form-urlencoded'
  try {
    const form = await new Response(new Uint8Array(body), {
      headers: { 'content-type': type },
    }).formData()
    for (const [name, value] of form) if (typeof value === 'string') fields.append(name, value)
  } catch {
    // An invalid body has no fields.
  }
  return fields
}
