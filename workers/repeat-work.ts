/** Runs `work` every `intervalMs`, never twice at a time. `stop` waits for the run that has begun. */
export function repeatWork(
  intervalMs: number,
  work: () => Promise<unknown>,
  onError: (error: unknown) => void,
): { stop(): Promise<void> } {
  let running: Promise<unknown> | undefined
  const timer = setInterval(() => {
    running ??= work()
      .catch(onError)
      .finally(() => {
        running = undefined
      })
  }, intervalMs)
  return {
    stop: async () => {
      clearInterval(timer)
      await running
    },
  }
}
