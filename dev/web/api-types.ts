/**
 * TypeScript declarations of the HTTP API, generated from its OpenAPI document: one type for each
 * named schema, and the interface `Operations`, whose keys are `GET /api/v1/me` and the like. The
 * dashboard calls the API through them, so a changed route fails its type check.
 */

export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly allOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
  readonly items?: JsonSchema
  readonly description?: string
}

interface Parameter {
  readonly in: string
  readonly name: string
  readonly required?: boolean
  readonly schema: JsonSchema
}

type Content = Readonly<Record<string, { readonly schema?: JsonSchema }>>

interface Operation {
  readonly summary?: string
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content: Content; readonly required?: boolean }
  readonly responses?: Readonly<Record<string, { readonly content?: Content }>>
}

export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components?: { readonly schemas?: Readonly<Record<string, JsonSchema>> }
}

export function apiTypes(document: OpenApiDocument): string {
  const schemas = Object.entries(document.components?.schemas ?? {}).map(
    ([name, schema]) => `export type ${schemaName(name)} = ${typeOf(schema)}\n`,
  )
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const key = JSON.stringify(`${method.toUpperCase()} ${path}`)
      return `${comment(operation.summary)}${key}: ${operationType(operation)}\n`
    }),
  )
  const header = '// Generated from the OpenAPI document by `npm run build`. Do not edit.\n'
  return `${header}${schemas.join('')}export interface Operations {\n${operations.join('')}}\n`
}

function operationType({ parameters = [], requestBody, responses = {} }: Operation): string {
  const body = requestBody === undefined ? 'undefined' : contentType(requestBody.content)
  const success = Object.keys(responses).find((status) => status.startsWith('2'))
  const reply = success === undefined ? undefined : responses[success]?.content
  return `{
params: ${parametersType(parameters.filter((parameter) => parameter.in === 'path'))}
query: ${parametersType(parameters.filter((parameter) => parameter.in === 'query'))}
body: ${body}
reply: ${reply === undefined ? 'null' : contentType(reply)}
}`
}

/** Bodies that are not JSON, such as CSV files, are text or a file. */
function contentType(content: Content): string {
  const json = content['application/json']?.schema
  const others = Object.keys(content).some((type) => type !== 'application/json')
  const types = [...(json === undefined ? [] : [typeOf(json)]), ...(others ? ['Blob'] : [])]
  return types.length === 0 ? 'unknown' : types.join(' | ')
}

function parametersType(parameters: readonly Parameter[]): string {
  const fields = parameters.map(
    ({ name, required, schema }) =>
      `${JSON.stringify(name)}${required === true ? '' : '?'}: ${typeOf(schema)}`,
  )
  return `{${fields.join('; ')}}`
}

function typeOf(schema: JsonSchema): string {
  const { $ref, enum: values, anyOf, oneOf, allOf, type } = schema
  if ($ref !== undefined) return schemaName($ref.split('/').at(-1)!)
  if ('const' in schema) return JSON.stringify(schema.const)
  if (values !== undefined) return union(values.map((value) => JSON.stringify(value)))
  const choices = anyOf ?? oneOf
  if (choices !== undefined) return union(choices.map(typeOf))
  if (allOf !== undefined) return allOf.map((part) => `(${typeOf(part)})`).join(' & ')
  if (Array.isArray(type)) return union(type.map((one) => typeOf({ ...schema, type: one })))
  switch (type) {
    case 'string':
      return 'string'
    case 'number':
    case 'integer':
      return 'number'
    case 'boolean':
      return 'boolean'
    case 'null':
      return 'null'
    case 'array':
      return `readonly (${schema.items === undefined ? 'unknown' : typeOf(schema.items)})[]`
    case 'object':
      return objectType(schema)
    default:
      return schema.properties === undefined ? 'unknown' : objectType(schema)
  }
}

function objectType({ properties, required = [], additionalProperties }: JsonSchema): string {
  const rest =
    typeof additionalProperties === 'object' && Object.keys(additionalProperties).length > 0
      ? typeOf(additionalProperties)
      : 'unknown'
  if (properties === undefined) return `Readonly<Record<string, ${rest}>>`
  const fields = Object.entries(properties).map(([name, schema]) => {
    const optional = required.includes(name) ? '' : '?'
    return `${comment(schema.description)}readonly ${JSON.stringify(name)}${optional}: ${typeOf(schema)}`
  })
  return `{\n${fields.join('\n')}\n}`
}

function union(types: readonly string[]): string {
  return types.length === 0 ? 'never' : [...new Set(types)].map((type) => `(${type})`).join(' | ')
}

/** zod names the input side of a schema that transforms its values `<Name>Input`. */
function schemaName(name: string): string {
  return name.replace(/[^A-Za-z0-9_]/g, '_')
}

function comment(text: string | undefined): string {
  return text === undefined ? '' : `/** ${text.replaceAll('*/', '*\\/').replaceAll('\n', ' ')} */\n`
}
