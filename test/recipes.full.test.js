import t from './support/tap.js'
import { copyForRecipes, RECIPES, SCENARIO_RECIPE, tryRecipe } from './support/recipes.js'

const copy = copyForRecipes(t)

t.equal(RECIPES.size, 5, 'recipes for a server, a proxy, an engine, an experiment and a scenario')
t.ok(RECIPES.has(SCENARIO_RECIPE), 'test/scenarios/scenarios.measuring.full.test.js tries this one')

for (const title of RECIPES.keys()) {
  if (title === SCENARIO_RECIPE) continue
  t.test(`the recipe for ${title.toLowerCase()} works as printed`, t => tryRecipe(t, title, copy))
}
