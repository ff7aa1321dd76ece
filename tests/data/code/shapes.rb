require "set"
require_relative "point"

# Shapes.
module Example::Shapes
  # How many.
  LIMIT = 100

  # A shape.
  # Of some kind.
  class Shape < Base
    include Comparable
    attr_accessor :width

    def initialize(width)
      @width = width
      local = 1
    end

    # Its area.
    def area = width * width

    def width=(value)
      @width = value
    end

    def <=>(other)
      0
    end

    def self.make(*args) new(*args) end

    class << self
      def origin; end
    end

    private def secret; end

    Corner = Struct.new(:x, :y) do
      def length; end
    end
  end

  class Shape
    def grow; end
  end
end

class Example::Circle; end

def helper(x)
  x
end

if RUBY_VERSION > "3"
  def modern?; true; end
end
