import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { showToast } from '../../shell/toast-list.ts'
import { Button, IconButton } from '../button.tsx'
import '../css/copy.css'

const shownMs = 1_500

function useCopy(text: string): { readonly isDone: boolean; readonly copy: () => void } {
  const [isDone, setDone] = useState(false)
  const copy = () => {
    writeClipboard(text).then(
      () => {
        setDone(true)
        setTimeout(() => setDone(false), shownMs)
      },
      () =>
        showToast({ kind: 'error', text: 'The browser refused to copy. Select the text instead.' }),
    )
  }
  return { isDone, copy }
}

/** Browsers offer the clipboard on https and localhost only; elsewhere the old command works. */
export async function writeClipboard(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  area.className = 'screen-reader'
  const parent = document.querySelector('dialog[open]') ?? document.body
  parent.append(area)
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  if (!isCopied) throw new Error('The browser refused to copy.')
}

export function CopyButton({
  text,
  label = 'Copy',
}: {
  readonly text: string
  readonly label?: string
}) {
  const { isDone, copy } = useCopy(text)
  return (
    <Button size="s" icon={isDone ? 'check' : 'copy'} onClick={copy}>
      {isDone ? 'Copied' : label}
    </Button>
  )
}

/** A short value, such as a DSN, an id or a DNS record, with a button that copies it. */
export function CopyValue({ label, value }: { readonly label: string; readonly value: string }) {
  const { isDone, copy } = useCopy(value)
  return (
    <span class="copy-value">
      <code>{value}</code>
      <IconButton
        size="s"
        label={isDone ? 'Copied' : `Copy ${label}`}
        icon={isDone ? 'check' : 'copy'}
        onClick={copy}
      />
    </span>
  )
}

/** Code to read and copy. The children are the same text with marks. */
export function CodeBlock({
  code,
  label,
  children,
}: {
  readonly code: string
  readonly label: string
  readonly children?: ComponentChildren
}) {
  return (
    <figure class="code-block">
      <figcaption>
        <span>{label}</span>
        <CopyButton text={code} />
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls wide code. */}
      <pre tabIndex={0}>
        <code>{children ?? code}</code>
      </pre>
    </figure>
  )
}
