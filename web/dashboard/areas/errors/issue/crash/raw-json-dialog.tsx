import { useMemo } from 'preact/hooks'
import { Button } from '../../../../design/button.tsx'
import { CopyButton } from '../../../../design/content/copy.tsx'
import { downloadText } from '../../../../design/content/download-text.ts'
import { formatBytes } from '../../../../design/content/format.ts'
import { Dialog } from '../../../../design/overlays/dialog.tsx'
import { visibleText } from '../../../../design/text/visible-text.ts'
import type { EventDetail } from '../issue-reads.ts'

/** A browser lays out some hundred thousand characters at once, and not a megabyte. */
const charactersShown = 200_000

export function RawJsonDialog({
  event,
  onClose,
}: {
  readonly event: EventDetail
  readonly onClose: () => void
}) {
  const text = useMemo(() => JSON.stringify(event.payload, null, 2) ?? 'null', [event])
  const bytes = useMemo(() => new TextEncoder().encode(text).length, [text])
  const isCut = text.length > charactersShown
  return (
    <Dialog
      title="Raw JSON"
      size="side"
      onClose={onClose}
      footer={
        <>
          <span class="soft small issue-json-size">
            {formatBytes(bytes)}
            {isCut && `, the first ${charactersShown.toLocaleString('en')} characters are shown`}
          </span>
          <CopyButton text={text} />
          <Button
            size="s"
            icon="download"
            onClick={() => downloadText(`${event.id}.json`, text, 'application/json')}
          >
            Download
          </Button>
        </>
      }
    >
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls long text. */}
      <pre class="issue-json" tabIndex={0}>
        {visibleText(isCut ? text.slice(0, charactersShown) : text)}
      </pre>
    </Dialog>
  )
}
