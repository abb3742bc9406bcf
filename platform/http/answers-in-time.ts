/** Probes a store for the readiness check: a store that hangs must not block the reply. */

/** Below the usual timeouts of health probes. */
export const probeMsMax = 2_000

/** False when the probe rejects, resolves to false, or takes longer than `probeMsMax`. */
export async function answersInTime(probe: Promise<unknown>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), probeMsMax)
  })
  const result = await Promise.race([
    probe.then(
      (value) => value !== false,
      () => false,
    ),
    late,
  ])
  clearTimeout(timer)
  return result
}
