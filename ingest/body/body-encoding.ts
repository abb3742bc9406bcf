/** Supported values of `Content-Encoding`. Lists of encodings are refused; no client sends them. */
export type BodyEncoding = 'identity' | 'gzip' | 'deflate' | 'br' | 'zstd'

/**
 * Undefined means 415. Ruby sends the header with an empty value; old Android clients sent `UTF-8`.
 */
export function bodyEncodingOf(header: string): BodyEncoding | undefined {
  switch (header.trim().toLowerCase()) {
    case '':
    case 'identity':
    case 'utf-8':
      return 'identity'
    case 'gzip':
    case 'x-gzip':
      return 'gzip'
    case 'deflate':
      return 'deflate'
    case 'br':
      return 'br'
    case 'zstd':
      return 'zstd'
    default:
      return undefined
  }
}
