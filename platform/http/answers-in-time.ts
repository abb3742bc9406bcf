/** Whether a store answers, for readiness: a store that stands still must not make the reply stand still. */

/** Below the usual time limits of probes. */
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
