// States and inhabited territories of the United States, by the codes of their postal service.
const statesAndTerritories = new Set(
  `AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK
   OR PA RI SC SD TN TX UT VT VA WA WV WI WY DC AS GU MP PR VI`.split(/\s+/),
)
const subdivision = /^[A-Z]{2}-[A-Z0-9]{1,3}$/

// One spelling for each region, because rules are looked up by it: CO and US-CO are CO, us-xx is nothing.
// Other countries are written with their own code in front, as in ISO 3166-2: DE-BE.
export function regionCode(text: string): string | null {
  const code = text.toUpperCase().replace(/^US-/, '')
  return statesAndTerritories.has(code) || isSubdivision(code) ? code : null
}

// Territories have country codes of their own as well, and PR-SJ would escape the rules of PR.
function isSubdivision(code: string): boolean {
  return subdivision.test(code) && !['AS', 'GU', 'MP', 'PR', 'VI', 'US'].includes(code.slice(0, 2))
}

// The country of a region as regionCode() writes it; empty where none is known.
export function countryOfRegion(region: string): string {
  return region === '' ? '' : region.includes('-') ? region.slice(0, 2) : 'US'
}
