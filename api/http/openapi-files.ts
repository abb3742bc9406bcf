/**
 * The OpenAPI document as files of the build. Making it takes 0.4 s, and its YAML another second,
 * in which an API process would serve nobody.
 */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { projectRoot } from '#platform/project-root.ts'

export type OpenApiFormat = 'json' | 'yaml'

/** In the files, this stands for the URL of the API. */
export const urlInFiles = 'http://api.sluice.invalid'

export function openApiFile(format: OpenApiFormat): string {
  return join(projectRoot, `dist/openapi/openapi.${format}`)
}

/** Reads each file once. */
export class OpenApiFiles {
  readonly #apiUrl: string
  readonly #texts = new Map<OpenApiFormat, string>()

  constructor(apiUrl: string) {
    this.#apiUrl = apiUrl
  }

  async read(format: OpenApiFormat): Promise<string> {
    let text = this.#texts.get(format)
    if (text === undefined) {
      const file = await readFile(openApiFile(format), 'utf8')
      text = file.replaceAll(urlInFiles, () => this.#apiUrl)
      this.#texts.set(format, text)
    }
    return text
  }
}
