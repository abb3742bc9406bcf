import { useEffect, useRef, useState } from 'preact/hooks'

interface Shown {
  readonly key: string
  readonly src: string
}

/**
 * The email as a document of the server in a sandbox without scripts. A new version is loaded
 * behind the old one and takes its place, at the same scroll position, when it is complete.
 */
export function PreviewFrame({
  src,
  version,
  width,
  title,
}: {
  readonly src: string
  /** Changes when the same address shows something else. */
  readonly version: string
  readonly width: number
  readonly title: string
}) {
  const wanted: Shown = { key: `${src} ${version}`, src }
  const [shown, setShown] = useState<Shown>()
  const frames = useRef(new Map<string, HTMLIFrameElement>())
  const latest = useRef(wanted)
  latest.current = wanted
  useEffect(() => {
    for (const key of frames.current.keys()) {
      if (key !== shown?.key && key !== wanted.key) frames.current.delete(key)
    }
  })
  const loaded = (key: string) => {
    if (key !== latest.current.key || key === shown?.key) return
    const before = shown === undefined ? undefined : frames.current.get(shown.key)
    const next = frames.current.get(key)
    const top = before?.contentWindow?.scrollY ?? 0
    if (shown?.src === latest.current.src) next?.contentWindow?.scrollTo(0, top)
    setShown(latest.current)
  }
  const both = shown === undefined || shown.key === wanted.key ? [wanted] : [shown, wanted]
  return (
    <div class="preview-box" style={{ maxWidth: `${width}px` }}>
      {both.map((one) => (
        <iframe
          key={one.key}
          ref={(element) => {
            if (element !== null) frames.current.set(one.key, element)
          }}
          class="preview-frame"
          title={one.key === wanted.key ? title : `${title} (before the last edit)`}
          src={one.src}
          data-shown={shown === undefined || one.key === shown.key}
          sandbox="allow-same-origin allow-popups allow-popups-to-escape-sandbox"
          referrerpolicy="no-referrer"
          onLoad={() => loaded(one.key)}
        />
      ))}
    </div>
  )
}
