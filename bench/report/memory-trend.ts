/**
 * Checks whether the memory of a process is flat: the slope of a straight line through its samples.
 */
export interface MemorySample {
  readonly atSeconds: number
  readonly bytes: number
}

export interface MemoryTrend {
  readonly peakBytes: number
  readonly lastBytes: number
  /** Slope of the second half, because a process warms up in the first. */
  readonly bytesPerMinute: number
}

export function memoryTrend(samples: readonly MemorySample[]): MemoryTrend {
  const peakBytes = samples.reduce((peak, { bytes }) => Math.max(peak, bytes), 0)
  const late = samples.slice(Math.floor(samples.length / 2))
  return {
    peakBytes,
    lastBytes: samples.at(-1)?.bytes ?? 0,
    bytesPerMinute: slope(late) * 60,
  }
}

/** Linear regression by least squares, in bytes per second. */
function slope(samples: readonly MemorySample[]): number {
  const count = samples.length
  const meanAt = samples.reduce((sum, { atSeconds }) => sum + atSeconds, 0) / count
  const meanBytes = samples.reduce((sum, { bytes }) => sum + bytes, 0) / count
  let [covariance, variance] = [0, 0]
  for (const { atSeconds, bytes } of samples) {
    covariance += (atSeconds - meanAt) * (bytes - meanBytes)
    variance += (atSeconds - meanAt) ** 2
  }
  return variance === 0 ? 0 : covariance / variance
}
