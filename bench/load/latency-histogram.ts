/**
 * A latency histogram of fixed size. With 64 buckets per power of two, the error of a percentile is
 * below 1.6 percent, and memory does not grow with the length of a run.
 */
import assert from 'node:assert'

const bucketsPerDoubling = 64
const bucketBits = 6
/** Up to 2^31 microseconds, about 36 minutes. */
const bucketCount = bucketsPerDoubling * (32 - bucketBits)

export interface LatencyHistogram {
  readonly buckets: Uint32Array<ArrayBuffer>
  count: number
  maxUs: number
}

export function createHistogram(): LatencyHistogram {
  return { buckets: new Uint32Array(bucketCount), count: 0, maxUs: 0 }
}

export function recordLatency(histogram: LatencyHistogram, latencyUs: number): void {
  const value = latencyUs < 0 ? 0 : Math.min(Math.round(latencyUs), 0x7fff_ffff)
  const bucket = bucketOf(value)
  histogram.buckets[bucket] = histogram.buckets[bucket]! + 1
  histogram.count += 1
  if (value > histogram.maxUs) histogram.maxUs = value
}

/** The latency that `share` (0 to 1) of the values do not exceed; 0 for an empty histogram. */
export function percentileUs(histogram: LatencyHistogram, share: number): number {
  assert(0 <= share && share <= 1)
  const rank = Math.max(1, Math.ceil(share * histogram.count))
  let seen = 0
  for (let bucket = 0; bucket < bucketCount; bucket += 1) {
    seen += histogram.buckets[bucket]!
    if (seen >= rank) return Math.min(upperEdge(bucket), histogram.maxUs)
  }
  return 0
}

export function mergeHistograms(parts: readonly LatencyHistogram[]): LatencyHistogram {
  const merged = createHistogram()
  for (const part of parts) {
    for (let bucket = 0; bucket < bucketCount; bucket += 1) {
      merged.buckets[bucket] = merged.buckets[bucket]! + part.buckets[bucket]!
    }
    merged.count += part.count
    merged.maxUs = Math.max(merged.maxUs, part.maxUs)
  }
  return merged
}

/**
 * Values below 128 have a bucket each; for larger ones, the six bits after the leading one decide.
 */
function bucketOf(value: number): number {
  if (value < 2 * bucketsPerDoubling) return value
  const doubling = 31 - Math.clz32(value) - bucketBits
  return doubling * bucketsPerDoubling + (value >>> doubling)
}

function upperEdge(bucket: number): number {
  if (bucket < 2 * bucketsPerDoubling) return bucket
  const doubling = Math.floor(bucket / bucketsPerDoubling) - 1
  const leading = bucket - doubling * bucketsPerDoubling
  return (leading + 1) * 2 ** doubling - 1
}
