import { useId, useState } from 'preact/hooks'
import { formatBytes } from '../content/format.ts'
import { Icon } from '../icon.tsx'
import '../css/file-drop.css'

/** Choose a file or drop one; the field itself stays reachable by keyboard. */
export function FileDrop({
  label,
  hint,
  accept,
  file,
  error,
  onFile,
}: {
  readonly label: string
  readonly hint: string
  readonly accept: string
  readonly file: File | undefined
  /** Why the file cannot be used. */
  readonly error?: string | undefined
  readonly onFile: (file: File) => void
}) {
  const id = useId()
  const [isOver, setOver] = useState(false)
  const take = (files: FileList | null | undefined) => {
    const [chosen] = files ?? []
    if (chosen !== undefined) onFile(chosen)
  }
  return (
    <label
      class="file-drop"
      for={id}
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        take(event.dataTransfer?.files)
      }}
    >
      <Icon name="upload" size={20} />
      <span>
        <span class="field-label">{label}</span>{' '}
        {file === undefined ? (
          <span class="soft">Choose a file, or drop it here.</span>
        ) : (
          <span class="file-drop-name">
            <bdi>{file.name}</bdi> <span class="soft">{formatBytes(file.size)}</span>
          </span>
        )}
        <span class="field-hint file-drop-hint">{hint}</span>
        {error !== undefined && (
          <span class="field-error file-drop-hint" role="alert">
            {error}
          </span>
        )}
      </span>
      <input
        id={id}
        class="screen-reader"
        type="file"
        accept={accept}
        onChange={(event) => take(event.currentTarget.files)}
      />
    </label>
  )
}
