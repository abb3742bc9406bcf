import type { FetchText } from '#platform/http/http-fetch.ts'
import { CodedError } from '#schemas/error-codes.ts'
import type { SnsOutside } from './ses-adapter.ts'

const certificatesKeptMax = 20

/**
 * Certificates are cached by URL, because Amazon gives a new one a new URL. A failed fetch is 503,
 * so that Amazon retries.
 */
export function snsOutside(fetchText: FetchText): SnsOutside {
  const certificates = new Map<string, string>()
  const fetchOrRetry = async (url: string) => {
    try {
      return await fetchText(url)
    } catch (cause) {
      throw new CodedError('unavailable', { message: 'Amazon SNS does not answer.', cause })
    }
  }
  return {
    certificateAt: async (url) => {
      const known = certificates.get(url)
      if (known !== undefined) return known
      const certificate = await fetchOrRetry(url)
      if (certificates.size >= certificatesKeptMax) certificates.clear()
      certificates.set(url, certificate)
      return certificate
    },
    confirmAt: async (url) => {
      await fetchOrRetry(url)
    },
  }
}
