/** The API's own documentation, as tests read it: every operation, an example of its body, and whether it describes an answer. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { ApiInstance } from '../api/http/route.ts'

export type Method = 'GET' | 'PATCH' | 'POST' | 'PUT' | 'DELETE'
export type Security = 'login' | 'apiKey' | 'accessToken' | 'none'

export interface Operation {
  /** `GET /api/v1/…`, with the parameters in braces. */
  readonly name: string
  readonly method: Method
  readonly template: string
  readonly security: Security
  readonly parameters: readonly Parameter[]
  readonly body: JsonSchema | undefined
  readonly example: unknown
}

export interface Parameter {
  readonly in: 'path' | 'query' | 'header'
  readonly name: string
  readonly required?: boolean
  readonly schema: JsonSchema
}

export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly items?: JsonSchema
  readonly example?: unknown
  readonly examples?: readonly unknown[]
  readonly default?: unknown
}

interface OpenApi {
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
}
interface DocumentedOperation {
  readonly security?: readonly Readonly<Record<string, unknown>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}
type Content = Readonly<Record<string, { readonly schema: JsonSchema }>>

export interface SeenAnswer {
  readonly status: number
  readonly contentType: string
  readonly text: string
}

export class ApiDocument {
  readonly operations: readonly Operation[]
  readonly #document: OpenApi
  readonly #ajv = new Ajv2020({ strict: false, validateFormats: false })
  readonly #validators = new Map<string, ValidateFunction>()

  constructor(app: ApiInstance) {
    this.#document = app.swagger() as unknown as OpenApi
    this.#ajv.addSchema(this.#document, 'api')
    this.operations = Object.entries(this.#document.paths).flatMap(([template, methods]) =>
      Object.entries(methods).map(([method, operation]) => {
        const body = operation.requestBody?.content['application/json']?.schema
        return {
          name: `${method.toUpperCase()} ${template}`,
          method: method.toUpperCase() as Method,
          template,
          security: (Object.keys(operation.security?.[0] ?? { none: [] })[0] ?? 'none') as Security,
          parameters: operation.parameters ?? [],
          body,
          example: this.#exampleOf(body),
        }
      }),
    )
  }

  /** Without `$ref`. */
  resolve(schema: JsonSchema): JsonSchema {
    const name = schema.$ref?.split('/').at(-1)
    const named = name === undefined ? undefined : this.#document.components.schemas[name]
    return named === undefined ? schema : this.resolve(named)
  }

  /** What the documentation does not say of this answer; undefined when it describes it. */
  undescribed({ method, template }: Operation, answer: SeenAnswer): string | undefined {
    const verb = method.toLowerCase()
    const response = this.#document.paths[template]?.[verb]?.responses[String(answer.status)]
    if (response === undefined) return `status ${answer.status} is not described`
    if (answer.text === '') return undefined
    const type = answer.contentType.split(';', 1)[0]!
    if (response.content?.[type] === undefined) return `content type ${type} is not described`
    if (type !== 'application/json') return undefined
    const place = ['paths', template, verb, 'responses', answer.status, 'content', type, 'schema']
    const pointer = place
      .map((part) => encodeURIComponent(String(part).replaceAll('~', '~0').replaceAll('/', '~1')))
      .join('/')
    const validate = this.#validator(`api#/${pointer}`)
    if (validate(JSON.parse(answer.text))) return undefined
    return `the body does not match: ${this.#ajv.errorsText(validate.errors)}`
  }

  #validator($ref: string): ValidateFunction {
    const known = this.#validators.get($ref)
    if (known !== undefined) return known
    const validate = this.#ajv.compile({ $ref })
    this.#validators.set($ref, validate)
    return validate
  }

  #exampleOf(schema: JsonSchema | undefined): unknown {
    if (schema === undefined) return undefined
    const { example, examples } = this.resolve(schema)
    return example ?? examples?.[0]
  }
}
