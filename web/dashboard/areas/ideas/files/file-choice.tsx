import { useId, useState } from 'preact/hooks'
import { formatBytes } from '../../../design/content/format.ts'
import './files.css'

interface FileChoiceProps {
  readonly label: string
  readonly hint: string
  readonly bytesMax: number
  readonly onFile: (file: File) => void
}

/** A file by dialog or by dropping it. What cannot be an import is refused before it is read. */
export function FileChoice({ label, hint, bytesMax, onFile }: FileChoiceProps) {
  const id = useId()
  const [isOver, setOver] = useState(false)
  const [file, setFile] = useState<File>()
  const [error, setError] = useState<string>()
  const choose = (chosen: File | undefined) => {
    if (chosen === undefined) return
    setFile(chosen)
    const rule = ruleOf(chosen, bytesMax)
    setError(rule)
    if (rule === undefined) onFile(chosen)
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping is a way beside the field.
    <div
      class="file-choice"
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault()
        setOver(false)
        choose(event.dataTransfer?.files[0])
      }}
    >
      <label for={id} class="field-label">
        {label}
      </label>
      <input
        id={id}
        type="file"
        accept=".csv,.json,text/csv,application/json"
        aria-describedby={`${id}-hint`}
        onChange={(event) => choose(event.currentTarget.files?.[0])}
      />
      <p class="field-hint" id={`${id}-hint`}>
        {hint} At most {formatBytes(bytesMax)}. You can also drop it here.
        {file !== undefined && (
          <>
            {' '}
            Chosen: <bdi>{file.name}</bdi>, {formatBytes(file.size)}.
          </>
        )}
      </p>
      {error !== undefined && (
        <p class="field-error" role="alert">
          {error}
        </p>
      )}
    </div>
  )
}

function ruleOf(file: File, bytesMax: number): string | undefined {
  if (file.size === 0) return 'The file is empty.'
  if (file.size > bytesMax) return `The file has more than ${formatBytes(bytesMax)}. Split it.`
  return /\.(csv|json)$/i.test(file.name) ? undefined : 'The file must be CSV or JSON.'
}

export function typeOfFile(file: File): 'text/csv' | 'application/json' {
  return /\.json$/i.test(file.name) ? 'application/json' : 'text/csv'
}
