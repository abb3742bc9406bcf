import { useEffect, useState } from 'preact/hooks'

/** The value as it was when it last stood still for the given time. */
export function useDelayed<T>(value: T, ms: number): T {
  const [delayed, setDelayed] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return delayed
}
