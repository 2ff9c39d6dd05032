export type State = { readonly code: string; readonly name: string }

const american = `AL Alabama,AK Alaska,AZ Arizona,AR Arkansas,CA California,CO Colorado,
CT Connecticut,DE Delaware,DC District of Columbia,FL Florida,GA Georgia,HI Hawaii,ID Idaho,
IL Illinois,IN Indiana,IA Iowa,KS Kansas,KY Kentucky,LA Louisiana,ME Maine,MD Maryland,
MA Massachusetts,MI Michigan,MN Minnesota,MS Mississippi,MO Missouri,MT Montana,NE Nebraska,
NV Nevada,NH New Hampshire,NJ New Jersey,NM New Mexico,NY New York,NC North Carolina,
ND North Dakota,OH Ohio,OK Oklahoma,OR Oregon,PA Pennsylvania,RI Rhode Island,SC South Carolina,
SD South Dakota,TN Tennessee,TX Texas,UT Utah,VT Vermont,VA Virginia,WA Washington,WV West Virginia,
WI Wisconsin,WY Wyoming,AA Armed Forces Americas,AE Armed Forces Europe,AP Armed Forces Pacific`

const canadian = `AB Alberta,BC British Columbia,MB Manitoba,NB New Brunswick,
NL Newfoundland and Labrador,NT Northwest Territories,NS Nova Scotia,NU Nunavut,ON Ontario,
PE Prince Edward Island,QC Québec,SK Saskatchewan,YT Yukon`

const australian = `ACT Australian Capital Territory,NSW New South Wales,NT Northern Territory,
QLD Queensland,SA South Australia,TAS Tasmania,VIC Victoria,WA Western Australia`

// Countries whose addresses name a state, by their post's own codes and names.
const lists: Readonly<Record<string, readonly State[]>> = {
  US: statesFrom(american),
  CA: statesFrom(canadian),
  AU: statesFrom(australian),
}
export const countriesWithStates: readonly string[] = Object.keys(lists)

export function statesOf(country: string): readonly State[] {
  return lists[country] ?? []
}

// The code of what was written, a code or a name; empty where there is no such state.
export function stateFrom(country: string, text: string): string {
  const written = plain(text)
  const found = statesOf(country).find(({ code, name }) => written === plain(code) || written === plain(name))
  return found?.code ?? ''
}

function plain(text: string): string {
  return text.trim().normalize('NFD').replace(/\p{M}/gu, '').toUpperCase()
}

function statesFrom(text: string): readonly State[] {
  return text.split(/,\s*/).map((one) => {
    const at = one.indexOf(' ')
    return { code: one.slice(0, at), name: one.slice(at + 1) }
  })
}
