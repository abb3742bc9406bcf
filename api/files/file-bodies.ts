/** Bodies that are whole files: bytes that are decoded in slices, and not by the parser. */
import type { ApiInstance } from '../http/route.ts'
import { decodedText } from './text-encoding.ts'

/** @param scope of its own, because all other routes parse JSON bodies. */
export function takeFileBodies(scope: ApiInstance, contentTypes: readonly string[]): void {
  scope.removeAllContentTypeParsers()
  for (const type of contentTypes) {
    scope.addContentTypeParser(
      type,
      { parseAs: 'buffer' },
      async (_: unknown, file: unknown) => file,
    )
  }
}

/** Throws `validation_failed` with the line when the encoding is not known. */
export async function textOfBody(body: unknown): Promise<string> {
  return Buffer.isBuffer(body) ? decodedText(body, 'body') : ''
}
