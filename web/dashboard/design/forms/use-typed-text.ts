import { useEffect, useRef, useState } from 'preact/hooks'

const pauseMs = 250

/** The text of a search field: shown at once, passed on when the person pauses. */
export function useTypedText(
  value: string,
  onPause: (text: string) => void,
): readonly [string, (text: string) => void] {
  const [text, setText] = useState(value)
  const passed = useRef(value)
  // The address changed by other means, such as the back button. Spaces around the text stay.
  useEffect(() => {
    if (value.trim() !== passed.current.trim()) {
      passed.current = value
      setText(value)
    }
  }, [value])
  useEffect(() => {
    if (text === passed.current) return undefined
    const timer = setTimeout(() => {
      passed.current = text
      onPause(text)
    }, pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  return [text, setText]
}
