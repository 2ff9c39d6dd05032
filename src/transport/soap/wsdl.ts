import type { ContractFacts } from '#capabilities/wire/contract.ts'
import { servicePath, soapOperationOf, targetNamespace } from '#transport/soap/soap-operation.ts'
import type { SoapVersion } from '#transport/soap/soap-version.ts'
import { escapeXml } from '#transport/soap/xml-text.ts'
import { define, type NamedTypes, sequence, writeSequence } from '#transport/soap/write-xsd.ts'

const portType = 'ICardProcess'
const service = 'CardProcAPI'

const bindings = [
  { version: '1.1', prefix: 'soap', name: 'CardProcSoap11' },
  { version: '1.2', prefix: 'soap12', name: 'CardProcSoap12' },
] as const satisfies readonly { version: SoapVersion; prefix: string; name: string }[]
type Binding = (typeof bindings)[number]

// One file, without imports: document/literal wrapped, for SOAP 1.1 and 1.2.
export function writeWsdl(contracts: readonly ContractFacts[], baseUrl: string): string {
  const names = contracts.map((contract) => soapOperationOf(contract).name)
  return [
    '<?xml version="1.0" encoding="utf-8"?>',
    `<wsdl:definitions name="${service}" targetNamespace="${targetNamespace}" xmlns:tns="${targetNamespace}"`,
    ' xmlns:wsdl="http://schemas.xmlsoap.org/wsdl/" xmlns:xs="http://www.w3.org/2001/XMLSchema"',
    ' xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"',
    ' xmlns:soap12="http://schemas.xmlsoap.org/wsdl/soap12/">',
    '<wsdl:types>',
    `<xs:schema targetNamespace="${targetNamespace}" elementFormDefault="qualified">`,
    ...writeTypes(contracts),
    '</xs:schema>',
    '</wsdl:types>',
    ...names.flatMap(writeMessages),
    `<wsdl:portType name="${portType}">`,
    ...contracts.map(writePortTypeOperation),
    '</wsdl:portType>',
    ...bindings.flatMap((binding) => writeBinding(binding, names)),
    `<wsdl:service name="${service}">`,
    ...bindings.map((binding) => writePort(binding, serviceAddress(baseUrl))),
    '</wsdl:service>',
    '</wsdl:definitions>',
    '',
  ].join('\n')
}

export function serviceAddress(baseUrl: string): string {
  return `${baseUrl.replace(/\/+$/, '')}${servicePath}`
}

function writeTypes(contracts: readonly ContractFacts[]): readonly string[] {
  const types: NamedTypes = new Map()
  const elements = contracts.flatMap((contract) => {
    const { name, resultKey, request, result } = soapOperationOf(contract)
    const resultType = define(types, resultKey, writeSequence(types, result, resultKey))
    const resultElement = `<xs:element name="${resultKey}" type="tns:${resultType}"/>`
    return [
      writeElement(name, writeSequence(types, request, name)),
      writeElement(`${name}Response`, sequence(resultElement)),
    ]
  })
  const complexTypes = [...types].map(
    ([name, content]) => `<xs:complexType name="${name}">${content}</xs:complexType>`,
  )
  return [...elements, ...complexTypes]
}

function writeElement(name: string, content: string): string {
  return `<xs:element name="${name}"><xs:complexType>${content}</xs:complexType></xs:element>`
}

function writeMessages(name: string): readonly string[] {
  return [
    `<wsdl:message name="${name}Request"><wsdl:part name="parameters" element="tns:${name}"/></wsdl:message>`,
    `<wsdl:message name="${name}Response">` +
      `<wsdl:part name="parameters" element="tns:${name}Response"/></wsdl:message>`,
  ]
}

function writePortTypeOperation(contract: ContractFacts): string {
  const { name } = soapOperationOf(contract)
  return (
    `<wsdl:operation name="${name}">` +
    `<wsdl:documentation>${escapeXml(`${contract.title}. ${contract.description}`)}</wsdl:documentation>` +
    `<wsdl:input message="tns:${name}Request"/><wsdl:output message="tns:${name}Response"/>` +
    '</wsdl:operation>'
  )
}

function writeBinding({ prefix, name }: Binding, operations: readonly string[]): readonly string[] {
  const body = `<${prefix}:body use="literal"/>`
  return [
    `<wsdl:binding name="${name}" type="tns:${portType}">`,
    `<${prefix}:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>`,
    ...operations.map(
      (operation) =>
        `<wsdl:operation name="${operation}">` +
        `<${prefix}:operation soapAction="${targetNamespace}/${portType}/${operation}" style="document"/>` +
        `<wsdl:input>${body}</wsdl:input><wsdl:output>${body}</wsdl:output></wsdl:operation>`,
    ),
    '</wsdl:binding>',
  ]
}

function writePort({ prefix, name }: Binding, address: string): string {
  return (
    `<wsdl:port name="${name}" binding="tns:${name}">` +
    `<${prefix}:address location="${escapeXml(address)}"/></wsdl:port>`
  )
}
