const { execSync } = require("child_process");

function build() {
  return execSync("make").toString();
}

module.exports = { build };
