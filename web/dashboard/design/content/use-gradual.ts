import { useEffect, useState } from 'preact/hooks'

/**
 * Draws a long page in steps: the first at once, each further one in a task of its own after the
 * browser has painted, so that a slow phone shows the top and answers to touches meanwhile. Returns
 * how many steps are due. Steps that were drawn stay, also when the content changes.
 */
export function useGradual(steps: number): number {
  const [due, setDue] = useState(1)
  useEffect(() => {
    if (due >= steps) return
    const timer = setTimeout(() => setDue(due + 1))
    return () => clearTimeout(timer)
  }, [due, steps])
  return due
}
